// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/imported_trace.h"

namespace opscope {

/// Collects records in the order of the file and joins them at its end. One thread.
class TraceBuilder {
 public:
  std::uint32_t name(std::string_view text) { return result_.trace.names.intern(text); }
  const std::string& text(std::uint32_t name) const { return result_.trace.names.text(name); }
  std::uint32_t shape(const LaunchShape& shape);
  void countEvent() { ++result_.events; }

  void add(KernelRecord kernel, std::optional<std::uint32_t> correlationId);
  void add(MemopRecord memop, std::optional<std::uint32_t> correlationId);
  void add(const LaunchRecord& launch, std::uint64_t processId);
  void add(const OverheadRecord& overhead) { result_.trace.overheads.push_back(overhead); }
  void add(const Annotation& annotation) { result_.annotations.push_back(annotation); }
  void addDevice(ImportedDevice device) { result_.devices.push_back(std::move(device)); }

  std::uint64_t events() const { return result_.events; }
  /// False when the durations add up to more than integers hold.
  bool addDuration(Ns duration);

  /// Joins launches and iterations (see ImportOptions::iterations).
  ImportedTrace finish(const std::string& iterations);

 private:
  void keepOneLaunchPerId();
  void numberTheUnnumbered();
  void makeIterations(const std::string& iterations);
  void oneIteration();
  void makeRanges(const std::vector<std::uint32_t>& iterations);
  void countWhatIsOpen();

  struct ShapeHash {
    std::size_t operator()(const LaunchShape& shape) const;
  };

  ImportedTrace result_;
  std::unordered_map<LaunchShape, std::uint32_t, ShapeHash> shapes_;  // a trace can have thousands
  std::vector<std::uint64_t> launchProcesses_;                        // beside Trace::launches
  std::vector<std::uint32_t> unnumberedKernels_;                      // without a correlation id
  std::vector<std::uint32_t> unnumberedMemops_;
  Ns durations_ = 0;
};

}  // namespace opscope
