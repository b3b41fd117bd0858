// SPDX-License-Identifier: Apache-2.0
#include "progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/format.h"

namespace opscope::cli {
namespace {

std::size_t terminalWidth() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

}  // namespace

std::string progressText(const Progress& progress) {
  std::string text(nameOf(progress.phase));
  if (!progress.implementation.empty()) text += " " + progress.implementation;
  if (progress.pass > 0) text += fmt::format(", pass {} of {}", progress.pass, progress.passes);
  if (progress.iterations > 0)
    text += fmt::format(", iteration {} of {}", progress.iteration, progress.iterations);
  if (progress.remainingNs > 0)
    text += fmt::format(", {} left", formatNs(static_cast<double>(progress.remainingNs)));
  return text;
}

ProgressLine::ProgressLine(bool wanted) : active_(wanted && isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::set(const Progress& progress) {
  if (!active_) return;
  const std::lock_guard lock(mutex_);
  latest_ = progress;
}

void ProgressLine::draw() {
  if (!active_) return;
  std::optional<Progress> progress;
  {
    const std::lock_guard lock(mutex_);
    progress.swap(latest_);
  }
  if (!progress) return;
  // A line that wraps cannot be rewritten.
  std::string text = progressText(*progress).substr(0, terminalWidth() - 1);
  if (text == drawn_) return;
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  drawn_ = std::move(text);
}

void ProgressLine::clear() {
  if (drawn_.empty()) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  drawn_.clear();
}

}  // namespace opscope::cli
