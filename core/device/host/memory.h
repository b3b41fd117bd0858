// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

#include "device/call.h"

namespace opscope::host {

class Streams;

/// Page-aligned host memory. Waits for work in flight before it goes, as freeing a GPU's memory does.
class HostMemory : public DeviceMemory {
 public:
  /// Throws OutOfMemory, naming the size and what is available: asked before allocating, because the system
  /// would promise memory that it does not have and end the process when it is touched.
  HostMemory(std::size_t bytes, Streams* streams);
  ~HostMemory() override;
  std::size_t bytes() const override { return bytes_; }
  void* address() const override { return memory_.get(); }
  std::byte* data() const { return memory_.get(); }

 private:
  struct Free {
    void operator()(std::byte* memory) const;
  };
  std::size_t bytes_;
  Streams* streams_;  // not owned; null for memory that only one kernel touches
  std::unique_ptr<std::byte, Free> memory_;
};

}  // namespace opscope::host
