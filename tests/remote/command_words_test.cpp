// SPDX-License-Identifier: Apache-2.0
#include "remote/command_words.h"

#include <catch2/catch_test_macros.hpp>

#include "base/error.h"

using namespace opscope;
using opscope::remote::commandWords;
using Words = std::vector<std::string>;

TEST_CASE("a command line is split as a shell splits it") {
  CHECK(commandWords("ssh gpu-box opscope serve") == Words{"ssh", "gpu-box", "opscope", "serve"});
  CHECK(commandWords("  a \t b\n") == Words{"a", "b"});
  CHECK(commandWords("sh -c 'opscope serve --ops \"my ops\"'") ==
        Words{"sh", "-c", "opscope serve --ops \"my ops\""});
  CHECK(commandWords(R"(a "b c"d 'e'"f")") == Words{"a", "b cd", "ef"});
  CHECK(commandWords(R"(a\ b "c\"d" "e\\f" "g\h" 'i\j')") == Words{"a b", "c\"d", "e\\f", "g\\h", "i\\j"});
  CHECK(commandWords("a '' b") == Words{"a", "", "b"});
  CHECK(commandWords("a\\") == Words{"a\\"});
}

TEST_CASE("a quote without end and a line without words are refused") {
  for (const char* line : {"", "  ", "a 'b", "a \"b", "'"}) {
    CAPTURE(line);
    CHECK_THROWS_AS(commandWords(line), BadInput);
  }
}
