// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/host/recorder.h"
#include "device/host/streams.h"
#include "device/range_tap.h"

namespace opscope::host {

/// Opens and closes the recorder and the streams' halves of it as one collection.
class HostCollector : public Collector {
 public:
  HostCollector(Recorder& recorder, Streams& streams) : recorder_(recorder), streams_(streams) {}
  void open(const CollectOptions& options) override;
  void push(std::uint64_t externalId) override { recorder_.push(externalId); }
  void pop() override { recorder_.pop(); }
  Trace close() override;
  void discard() noexcept override;
  bool isOpen() const noexcept override { return recorder_.isOpen(); }

 private:
  Recorder& recorder_;
  Streams& streams_;
  RangeTap ranges_;
};

/// Runs four labelled kernels against a budget that holds no record: true when exactly their twelve records
/// (launch, id, kernel) were counted as dropped, and none was kept.
bool seesDropsCounted(HostCollector& collector, Streams& streams);

}  // namespace opscope::host
