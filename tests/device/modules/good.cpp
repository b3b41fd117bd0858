// SPDX-License-Identifier: Apache-2.0
#include "device/provider.h"

namespace {

class FakeProvider : public opscope::DeviceProvider {
 public:
  std::string kind() const override { return "fake"; }
  std::vector<opscope::DeviceInfo> devices() override {
    opscope::DeviceInfo info;
    info.id = "fake:0";
    info.kind = "fake";
    return {info};
  }
  std::unique_ptr<opscope::Device> open(const std::string&) override { return nullptr; }
  std::vector<opscope::Check> diagnose() override { return {}; }
};

}  // namespace

extern "C" opscope::DeviceProvider* opscope_create_provider(int moduleVersion) {
  return moduleVersion == opscope::kModuleVersion ? new FakeProvider : nullptr;
}
