// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "device/device.h"
#include "device/host/host_device.h"
#include "device/host/streams.h"

namespace opscope::host {

/// A host function bound to tensors and scalars.
class HostCall : public Call {
 public:
  /// Throws UnknownName, NotSupported, BadInput (a tensor that does not fit its memory).
  HostCall(const Device& device, Streams& streams, const Functions& functions, const CallSpec& spec);
  void issue() override;

 private:
  const Device& device_;
  Streams& streams_;
  std::string label_;
  Function function_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, ScalarArg> scalars_;
};

}  // namespace opscope::host
