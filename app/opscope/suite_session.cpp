// SPDX-License-Identifier: Apache-2.0
#include "suite_session.h"

#include <system_error>

namespace opscope::cli {
namespace fs = std::filesystem;

SuiteSession::SuiteSession(fs::path file, RecordsKept records)
    : file_(std::move(file)), created_(!fs::exists(file_)) {
  // The writer first: it recovers what a program that died left beside the file.
  writer_ = std::make_unique<SessionWriter>(file_, records);
  recorder_ = std::make_unique<Recorder>(*writer_);
  if (created_) return;
  const Session session = readSession(file_);
  had_ = session.runs;
  for (std::size_t i = 0; i < had_.size(); ++i) rows_[had_[i].get()] = session.rows.at(i);
}

SuiteSession::~SuiteSession() {
  writer_.reset();
  std::error_code ignored;
  if (created_ && !recorder_->kept()) fs::remove(file_, ignored);
}

Recorder& SuiteSession::recorderWith(const Environment& notes) {
  recorder_->setNotes(notes);
  return *recorder_;
}

void SuiteSession::keep(const Run& run) {
  recorder_->finish(run);
}

void SuiteSession::drop(const Run& had) {
  const auto row = rows_.find(&had);
  if (row == rows_.end()) return;
  writer_->removeRun(row->second, had);
  rows_.erase(row);
}

void SuiteSession::close() {
  writer_->close();
}

}  // namespace opscope::cli
