// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/ns.h"
#include "cuda/cupti_api.h"

namespace opscope::cuda {

class RecordReader;

/// What of CUPTI is one per process: the library, the buffer callbacks, the subscription that keeps other
/// tools out, and whether the drop counter was seen to work. Any thread.
class CuptiProcess {
 public:
  static CuptiProcess& instance();
  CuptiProcess(const CuptiProcess&) = delete;
  CuptiProcess& operator=(const CuptiProcess&) = delete;

  /// Loads CUPTI and asks for latency timestamps, which it grants only before CUDA is initialised: call it
  /// before the first CUDA call of the process. Idempotent.
  void prepareBeforeCuda();
  /// Null when CUPTI was not found; then missing() says why.
  const CuptiApi* api() const { return api_ ? &*api_ : nullptr; }
  const std::string& missing() const { return missing_; }

  /// Makes sure that no other tool holds CUPTI, by becoming its one subscriber, and hands it our buffers.
  /// Before every collection: another user of this process (a profiler of PyTorch's) may have had both since.
  /// Throws DeviceUnavailable, naming the tool where CUPTI tells. Until release() the reader hears of empty
  /// calls.
  void claim();
  /// Records need no subscriber, and who comes after us in this process may need the one that there can be.
  void release() noexcept;

  /// Lends the process's records to one reader at a time; false when another one has them.
  bool attach(RecordReader& reader, std::int64_t bufferBytes);
  /// After this no callback touches the reader. True when host memory ran out for some of its records.
  bool detach();

  /// Now, on the clock of the records; without CUPTI, where there are none, wall time, as its clock is.
  Ns now() const;

  bool dropCounterProven() const { return proven_; }
  void setDropCounterProven() { proven_ = true; }

 private:
  CuptiProcess() = default;
  void unsubscribe() noexcept;
  static void CUPTIAPI requestBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* maxRecords);
  static void CUPTIAPI completeBuffer(CUcontext context, std::uint32_t streamId, std::uint8_t* buffer,
                                      std::size_t size, std::size_t validSize);
  static void CUPTIAPI noticeEmptyCall(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                       const void* data);

  std::mutex setup_;
  bool prepared_ = false;
  std::optional<CuptiApi> api_;
  std::string missing_;
  CUptiResult registered_ = CUPTI_SUCCESS;
  CUpti_SubscriberHandle subscriber_{};
  bool subscribed_ = false;

  std::mutex mutex_;
  RecordReader* reader_ = nullptr;
  bool outOfMemory_ = false;
  std::atomic<std::int64_t> bufferBytes_ = 256 * 1024;
  std::atomic<bool> proven_ = false;
};

}  // namespace opscope::cuda
