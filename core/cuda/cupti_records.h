// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "cuda/launch_apis.h"
#include "trace/trace.h"

namespace opscope::cuda {

/// Turns CUPTI's records into a Trace: copies the fields out, interns names and launch shapes. Not
/// thread-safe.
class RecordReader {
 public:
  RecordReader(const ApiTable& runtimeApis, const ApiTable& driverApis)
      : runtimeApis_(runtimeApis), driverApis_(driverApis) {}

  /// Kinds that are not collected are ignored.
  void add(const CUpti_Activity& record);
  /// The call of this correlation id asks for nothing to be done, so no record will come of it: it is no
  /// launch.
  void addEmpty(std::uint32_t correlationId) { empty_.insert(correlationId); }
  /// What was added since the last take().
  Trace take();

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };

  std::uint32_t kernelName(const char* mangled);
  void addKernel(const CUpti_Activity& record);
  void addMemcpy(const CUpti_Activity& record);
  void addMemset(const CUpti_Activity& record);
  void addApi(const CUpti_Activity& record, const ApiTable& apis);
  void addOverhead(const CUpti_Activity& record);

  const ApiTable& runtimeApis_;
  const ApiTable& driverApis_;
  Trace trace_;
  std::unordered_set<std::uint32_t> empty_;  // by correlation id
  std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> kernelNames_;  // by mangled name
};

}  // namespace opscope::cuda
