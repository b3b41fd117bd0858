// SPDX-License-Identifier: Apache-2.0
#include "suite_session.h"

#include <system_error>

namespace opscope::cli {
namespace fs = std::filesystem;

SuiteSession::SuiteSession(fs::path file, RecordsKept records)
    : file_(std::move(file)), created_(!fs::exists(file_)) {
  // The writer first: it recovers what a program that died left beside the file.
  writer_ = std::make_unique<SessionWriter>(file_, records);
  if (!created_) had_ = readSession(file_).runs;
  holdsRuns_ = !had_.empty();
}

SuiteSession::~SuiteSession() {
  writer_.reset();
  std::error_code ignored;
  if (created_ && !holdsRuns_) fs::remove(file_, ignored);
}

void SuiteSession::keep(const Run& run) {
  writer_->addRun(run);
  writer_->sync();
  holdsRuns_ = true;
}

void SuiteSession::close() {
  writer_->close();
}

}  // namespace opscope::cli
