// SPDX-License-Identifier: Apache-2.0
extern "C" int something_else() {
  return 1;
}
