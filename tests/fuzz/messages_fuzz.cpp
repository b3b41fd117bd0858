// SPDX-License-Identifier: Apache-2.0
//
// libFuzzer: a stream of bytes as a client and as a server would read it. Whatever it is, it is read or
// refused with a ProtocolError; anything else is a finding.
#include <cstddef>
#include <cstdint>

#include "remote/job_mirror.h"
#include "remote/values.h"

using namespace opscope;
using namespace opscope::remote;

namespace {

template <class Read>
void attempt(Read read) {
  try {
    read();
  } catch (const ProtocolError&) {
    // refused, as it should be
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FrameDecoder decoder(1 << 20);
  JobMirror mirror;
  attempt([&] {
    // In two pieces: a message may be cut anywhere.
    for (const ByteView part : {ByteView(data, size / 2), ByteView(data + size / 2, size - size / 2)}) {
      decoder.add(part);
      while (const auto payload = decoder.next()) {
        const Json message = decode(*payload);
        attempt([&] { mirror.take(message); });
        attempt([&] { jobFrom(Fields(message, "A message").at("job")); });
        attempt([&] { helloFrom(Fields(message, "A message").at("hello")); });
        attempt([&] { catalogueFrom(Fields(message, "A message").at("value")); });
        attempt([&] { devicesFrom(Fields(message, "A message").at("value")); });
        attempt([&] { checksFrom(Fields(message, "A message").at("value")); });
      }
    }
  });
  return 0;
}
