// SPDX-License-Identifier: Apache-2.0
#include "session/device_record.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;

namespace {

// An environment variable as it was, when the test is over.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~Variable() { set(old_ ? old_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const {
    if (value == nullptr)
      unsetenv(name_);
    else
      setenv(name_, value, 1);
  }
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace

TEST_CASE("a device without a uuid is one of this host") {
  CHECK(deviceKey("cuda:0", "GPU-1234") == "GPU-1234");
  CHECK_THAT(deviceKey("host", ""), Catch::Matchers::StartsWith("host on "));
}

TEST_CASE("the file lies in the user's data folder") {
  const Variable home("HOME", "/home/someone");
  const Variable xdg("XDG_DATA_HOME", nullptr);
  const Variable data("OPSCOPE_DATA", nullptr);
  CHECK(dataFile("noise.json") == "/home/someone/.local/share/opscope/noise.json");
  const Variable xdgSet("XDG_DATA_HOME", "/xdg");
  CHECK(dataFile("noise.json") == "/xdg/opscope/noise.json");
  const Variable dataSet("OPSCOPE_DATA", "/mine");
  CHECK(dataFile("noise.json") == "/mine/noise.json");
  const Variable none("OPSCOPE_DATA", "");
  const Variable neither("XDG_DATA_HOME", "");
  const Variable homeless("HOME", nullptr);
  CHECK_THROWS_AS(dataFile("noise.json"), CannotWrite);
}

TEST_CASE("environments differ in what changes how fast a device is") {
  const Environment then{{"driver", "575.1"}, {"power limit", "700 W"}, {"temperature at start", "30 C"}};
  const Environment now{{"driver", "575.1"}, {"locked clocks", "yes"}, {"temperature at start", "80 C"}};
  CHECK(environmentDifferences(then, then).empty());
  const auto differences = environmentDifferences(then, now);
  CHECK(differences == std::vector<EnvironmentDifference>{{"locked clocks", "unknown", "yes"},
                                                          {"power limit", "700 W", "unknown"}});
  CHECK(textOf(differences[1]) == "power limit was 700 W, now unknown");
  CHECK(onThisHost(now).at("host") == onThisHost(then).at("host"));
}

TEST_CASE("a data file's folder is made, or it is said why it cannot be") {
  const TemporaryFolder folder;
  CHECK_NOTHROW(requireWritableDataFile(folder.path() / "a" / "b" / "noise.json"));
  CHECK(std::filesystem::is_directory(folder.path() / "a" / "b"));
  writeText(folder / "file", "");
  CHECK_THROWS_AS(requireWritableDataFile(folder.path() / "file" / "noise.json"), CannotWrite);
}
