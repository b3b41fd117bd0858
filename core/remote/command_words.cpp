// SPDX-License-Identifier: Apache-2.0
#include "remote/command_words.h"

#include <fmt/format.h>

#include "base/error.h"

namespace opscope::remote {
namespace {

constexpr bool isSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

std::vector<std::string> commandWords(std::string_view line) {
  std::vector<std::string> words;
  bool inWord = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && isSpace(c)) {
      inWord = false;
      continue;
    }
    if (!inWord) words.emplace_back();
    inWord = true;
    // In double quotes a backslash keeps its meaning only before what it must escape there.
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < line.size() &&
                         (quote == 0 || line[i + 1] == '"' || line[i + 1] == '\\');
    if (escapes)
      words.back() += line[++i];
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (quote != 0 && c == quote)
      quote = 0;
    else
      words.back() += c;
  }
  if (quote != 0)
    throw BadInput(fmt::format("The engine's command line `{}` has a quote that does not end", line));
  if (words.empty())
    throw BadInput("The engine's command line is empty",
                   "Name local, process, or a command such as `ssh gpu-box opscope serve`.");
  return words;
}

}  // namespace opscope::remote
