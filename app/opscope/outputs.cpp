// SPDX-License-Identifier: Apache-2.0
#include "outputs.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "session/text_file.h"

namespace opscope::cli {
namespace fs = std::filesystem;
namespace {

bool isCsvFile(const std::string& target) {
  return target == kStandardOutput || (fs::path(target).extension() == ".csv" && !fs::is_directory(target));
}

// A folder that is not there yet is made before anything is measured: that is the only sure test that it can
// be.
void checkFolder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error) && !fs::is_regular_file(folder, error))
    throw CannotWrite(
        fmt::format("Cannot write CSV into {}: it is neither a folder nor a .csv file", folder.string()),
        "Name a folder, or a file that ends in .csv.");
  fs::create_directories(folder, error);
  if (error)
    throw CannotWrite(fmt::format("Cannot create the folder {}: {}", folder.string(), error.message()),
                      "Name another folder, or a file that ends in .csv.");
  checkWritable(folder / "summary.csv");
}

}  // namespace

void printStandardOutput(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw CannotWrite(fmt::format("Cannot write to standard output: {}", std::strerror(errno)));
}

Outputs::Outputs(const OutputOptions& options, bool quiet) : options_(options), quiet_(quiet) {
  for (const std::string& target : {options.json, options.markdown})
    if (!target.empty() && target != kStandardOutput) checkWritable(target);
  if (!options.csv.empty() && options.csv != kStandardOutput) {
    if (isCsvFile(options.csv))
      checkWritable(options.csv);
    else
      checkFolder(options.csv);
  }
  if (!options.session.empty()) {
    createdSession_ = !fs::exists(options.session);
    session_ = std::make_unique<SessionWriter>(options.session, options.records);
    recorder_ = std::make_unique<Recorder>(*session_);
  }
}

Outputs::~Outputs() {
  if (!session_) return;
  session_.reset();
  std::error_code ignored;
  if (createdSession_ && !recorder_->kept()) fs::remove(options_.session, ignored);
}

template <class Work>
void Outputs::attempt(Work work) {
  try {
    work();
  } catch (const Error& error) {
    failed_ = true;
    fmt::print(stderr, "opscope: {}: {}\n", nameOf(error.code()), error.what());
  }
}

void Outputs::keep(const Run& run) {
  if (!session_) return;
  attempt([&] {
    sessionIsWhole_ = false;
    recorder_->finish(run);
    sessionIsWhole_ = true;
  });
}

void Outputs::closeSession() {
  if (!session_ || !recorder_->kept()) return;
  attempt([&] {
    session_->close();
    if (sessionIsWhole_)
      wrote(options_.session);
    else
      fmt::print(stderr, "opscope: {} has the passes that could be written\n", options_.session);
  });
  session_.reset();
}

bool Outputs::usesStandardOutput() const {
  return options_.csv == kStandardOutput || options_.json == kStandardOutput ||
         options_.markdown == kStandardOutput;
}

void Outputs::wrote(const fs::path& file) const {
  if (!quiet_) fmt::print(stderr, "wrote {}\n", file.string());
}

void Outputs::writeText(const std::string& target, const std::string& text) {
  if (target == kStandardOutput) {
    printStandardOutput(text);
    return;
  }
  writeTextFile(target, text);
  wrote(target);
}

// A program that reads an export from standard output must find nothing else there.
void Outputs::printTable(const std::string& table) {
  if (!usesStandardOutput())
    printStandardOutput(table);
  else if (!quiet_)
    fmt::print(stderr, "{}", table);
}

void Outputs::write(const Report& report) {
  attempt([&] { printTable(report.table); });
  attempt([&] {
    if (options_.csv.empty()) return;
    writeText(isCsvFile(options_.csv) ? options_.csv : (fs::path(options_.csv) / report.csvName).string(),
              report.csv);
  });
  attempt([&] {
    if (!options_.markdown.empty()) writeText(options_.markdown, report.markdown);
  });
  attempt([&] {
    if (!options_.json.empty()) writeText(options_.json, report.json);
  });
  closeSession();
}

void Outputs::write(const Runs& runs, const std::optional<FurtherTable>& below) {
  attempt([&] { printTable(runsTable(runs)); });
  // Not with the table, which a quiet export on standard output leaves out: this is what was asked.
  attempt([&] {
    if (!below) return;
    if (usesStandardOutput())
      fmt::print(stderr, "{}", drawTable(*below));
    else
      printStandardOutput(drawTable(*below));
  });
  writeFiles(runs, below);
}

void Outputs::writeFiles(const Runs& runs, const std::optional<FurtherTable>& below) {
  attempt([&] {
    if (options_.csv.empty()) return;
    if (isCsvFile(options_.csv)) {
      writeText(options_.csv, summaryCsv(runs));
      return;
    }
    for (const fs::path& file : writeCsvSet(options_.csv, runs)) wrote(file);
  });
  attempt([&] {
    if (!options_.json.empty()) writeText(options_.json, runsJson(runs));
  });
  attempt([&] {
    if (!options_.markdown.empty())
      writeText(options_.markdown, runsMarkdown(runs) + (below ? drawMarkdown(*below) : ""));
  });
  closeSession();
}

}  // namespace opscope::cli
