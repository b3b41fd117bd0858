// SPDX-License-Identifier: Apache-2.0
#include "remote/connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace opscope::remote {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kReadAtOnce = 256 << 10;
constexpr std::size_t kLogKept = 2000;  // bytes: the last lines are what a message has room for
constexpr std::size_t kStrayKept = 120;
// The child reads on a thread that does nothing else; one that does not read for so long is as good as dead.
constexpr milliseconds kWritePatience{2000};

std::string printable(std::string text) {
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  return text;
}

}  // namespace

Connection::Connection(const std::vector<std::string>& words)
    : child_(words), born_(Clock::now()), heard_(born_) {
  say({{"type", "hello"}, {"hello", toJson(ownHello())}});
}

bool Connection::say(const Json& message) {
  return writeAll(child_.input(), frameOf(encode(message)), kWritePatience);
}

bool Connection::listen(int wake, milliseconds patience, const std::function<void(const Json&)>& take) {
  std::array<pollfd, 3> wait{{{child_.output(), POLLIN, 0}, {child_.errors(), POLLIN, 0}, {wake, POLLIN, 0}}};
  poll(wait.data(), wait.size(), static_cast<int>(patience.count()));
  if (wait[1].revents != 0) readLog();
  if (wait[0].revents == 0) return true;
  buffer_.clear();
  if (!readSome(child_.output(), buffer_, kReadAtOnce)) return false;
  heard_ = Clock::now();
  if (!engine_ && firstBytes_.size() < kStrayKept)
    firstBytes_.append(buffer_.begin(),
                       buffer_.begin() + static_cast<std::ptrdiff_t>(
                                             std::min(buffer_.size(), kStrayKept - firstBytes_.size())));
  decoder_.add(buffer_);
  while (const auto payload = decoder_.next()) {
    const Json message = decode(*payload);
    if (!engine_) {
      const Fields of(message, "The first message");
      if (of.text("type") != "hello") throw ProtocolError("the first message is no hello");
      engine_ = helloFrom(of.at("hello"));
    }
    take(message);
  }
  heard_ = Clock::now();  // what took this side long is not the engine's silence
  return true;
}

void Connection::readLog() {
  Bytes bytes;
  // The end of the log is no news: the end of the output is what counts. But it would wake every poll.
  const bool more = readSome(child_.errors(), bytes, kReadAtOnce);
  logTail_.append(bytes.begin(), bytes.end());
  if (logTail_.size() > kLogKept) logTail_.erase(0, logTail_.size() - kLogKept);
  if (!more) child_.closeErrors();
}

milliseconds Connection::silence() const {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - heard_);
}

milliseconds Connection::age() const {
  return std::chrono::duration_cast<milliseconds>(Clock::now() - born_);
}

std::string Connection::close(milliseconds patience) {
  say({{"type", "bye"}});
  child_.closeInput();
  const std::string how = describeStatus(child_.end(patience));
  if (child_.errors() >= 0) readLog();
  return how;
}

std::string Connection::log() {
  if (child_.errors() >= 0) readLog();
  std::string text = printable(logTail_);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::string Connection::strayOutput() const {
  return printable(firstBytes_);
}

}  // namespace opscope::remote
