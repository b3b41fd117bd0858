// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "measuring.h"
#include "options.h"
#include "suite/suite_tables.h"
#include "suite_session.h"

namespace opscope::cli {

/// Measures a suite's jobs with the engine of the command line.
class LiveSuiteHost final : public SuiteHost {
 public:
  /// `session`: where runs are kept; null: nowhere. All must outlive this.
  LiveSuiteHost(const Options& options, std::unique_ptr<Engine>& engine, Interrupts& interrupts,
                SuiteSession* session)
      : options_(options), engine_(engine), interrupts_(interrupts), session_(session) {}

  JobOutcome measure(const Job& job, const Environment& notes) override;
  void keep(const Run& run) override;
  void drop(const Run& had) override;
  void renewEngine(const ErrorInfo& why) override;
  bool stopped() override { return interrupts_.requested(); }
  void onRun(const Run& run, bool before, std::size_t number, std::size_t all) override;

 private:
  const Options& options_;
  std::unique_ptr<Engine>& engine_;
  Interrupts& interrupts_;
  SuiteSession* session_;
};

/// Tables with sentences below them, drawn for each place.
Report reportOf(const std::vector<FurtherTable>& tables, const std::vector<std::string>& sentences,
                std::string csv, std::string csvName);

/// The exit code of a suite: an interruption, then what ended it, then what could not be written, then the
/// worst failure.
int exitCodeFor(const SuiteResult& result, bool outputFailed);

}  // namespace opscope::cli
