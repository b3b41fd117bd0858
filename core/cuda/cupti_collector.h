// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "cuda/cupti_process.h"
#include "cuda/cupti_records.h"
#include "device/device.h"
#include "device/range_tap.h"

namespace opscope::cuda {

/// Records a pass by CUPTI's activity API, as docs/method.md describes. On the launch thread; one at a time
/// in a process.
class CuptiCollector final : public Collector {
 public:
  explicit CuptiCollector(CuptiProcess& process) : process_(process) {}
  ~CuptiCollector() override { discard(); }

  void open(const CollectOptions& options) override;
  void push(std::uint64_t externalId) override;
  void pop() override;
  Trace close() override;
  void discard() noexcept override;
  bool isOpen() const noexcept override { return open_; }

 private:
  const CuptiApi& api() const;
  void enableAll(std::span<const CUpti_ActivityKind> kinds);
  void disableAll() noexcept;
  void popAll() noexcept;
  [[noreturn]] void refuse(CUptiResult result, const std::string& doing) const;

  CuptiProcess& process_;
  std::optional<RecordReader> reader_;
  RangeTap ranges_;
  std::size_t enabledKinds_ = 0;
  int pushed_ = 0;
  CUptiResult popRefused_ = CUPTI_SUCCESS;
  bool open_ = false;
};

}  // namespace opscope::cuda
