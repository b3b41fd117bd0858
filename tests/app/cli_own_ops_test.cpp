// SPDX-License-Identifier: Apache-2.0
//
// Ops of one's own on the command line: a new one's files, and plugins.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <fstream>

#include "app/subprocess.h"
#include "session/synthetic.h"

using namespace opscope;
using namespace opscope::test;
using Catch::Matchers::ContainsSubstring;
namespace fs = std::filesystem;

namespace {

// A folder with one plugin in it.
std::string folderWith(const TemporaryFolder& folder, const std::string& plugin) {
  fs::create_directories(folder / "ops");
  fs::copy_file(fs::path(OPSCOPE_BINARY_DIR) / "tests" / "plugins" / plugin / "libplugin.so",
                folder / "ops" / ("lib" + plugin + ".so"));
  return (folder / "ops").string();
}

Finished compare(const std::string& ops, const std::string& op, const std::string& engine = "local") {
  return runOpscope({"compare", "--ops", ops, "--op", op, "--device", "host", "--iterations", "10",
                     "--warmup-ms", "0", "--l2", "warm", "--engine", engine});
}

}  // namespace

TEST_CASE("new-op writes files that are read back") {
  const TemporaryFolder folder;
  const std::string ops = (folder / "deeper" / "ops").string();
  const Finished made = runOpscope({"new-op", "my-op", ops});
  INFO(made.err);
  CHECK(made.exitCode == 0);
  CHECK(fs::exists(folder / "deeper" / "ops" / "my-op.cu"));
  const Finished listed = runOpscope({"list", "--ops", ops});
  CHECK(listed.exitCode == 0);
  CHECK_THAT(listed.out, ContainsSubstring("my-op (mine)") && ContainsSubstring("direct") &&
                             ContainsSubstring("vectors"));
  CHECK_THAT(listed.err, !ContainsSubstring("my-op"));

  const Finished again = runOpscope({"new-op", "my-op", ops});
  CHECK(again.exitCode == 7);
  CHECK_THAT(again.err, ContainsSubstring("is there already"));
  for (const char* name : {"", "1st", "a/b", "a b", "../up"})
    CHECK(runOpscope({"new-op", name, ops}).exitCode == 5);
}

TEST_CASE("a plugin's ops are listed, verified and measured") {
  const TemporaryFolder folder;
  const std::string ops = folderWith(folder, "scale");
  for (const char* engine : {"local", "process"}) {
    const Finished done = compare(ops, "scale", engine);
    INFO(done.err);
    CHECK(done.exitCode == 0);
    CHECK_THAT(done.out,
               ContainsSubstring("whole") && ContainsSubstring("halves") && ContainsSubstring("verified"));
  }
}

TEST_CASE("a spec names a plugin beside it") {
  const TemporaryFolder folder;
  const std::string ops = folderWith(folder, "scale");
  const auto write = [&](const std::string& body) {
    std::ofstream(folder / "ops" / "other.yaml")
        << "other:\n  signature: {inputs: {x: {shape: [n]}}, outputs: {y: {shape: [n]}}}\n  dtypes: "
           "[float32]\n"
           "  workloads: [{label: small, n: 64}]\n  roofline: {flops: n, bytes: n}\n  reference: twice\n"
           "  implementations:\n    mine: {host: "
        << body << "}\n";
  };
  write("{plugin: libscale.so, function: halves}");
  const Finished done = compare(ops, "other");
  INFO(done.err);
  CHECK(done.exitCode == 0);
  CHECK_THAT(done.out, ContainsSubstring("verified"));
  write("{plugin: libmissing.so}");
  CHECK_THAT(runOpscope({"list", "--ops", ops}).err, ContainsSubstring("other.yaml:8") &&
                                                         ContainsSubstring("no plugin") &&
                                                         ContainsSubstring("libmissing.so"));
  write("{plugin: this}");
  CHECK_THAT(runOpscope({"list", "--ops", ops}).err, ContainsSubstring("spec file"));
}

TEST_CASE("what is wrong with a plugin costs its own ops and is said") {
  for (const auto& [plugin, sentence] :
       {std::pair{"no_entry", "lacks opscope_plugin_entry"}, std::pair{"other_abi", "version 2"},
        std::pair{"describes_nonsense", "libdescribes_nonsense.so"}}) {
    CAPTURE(plugin);
    const TemporaryFolder folder;
    const Finished listed = runOpscope({"list", "--ops", folderWith(folder, plugin)});
    CHECK_THAT(listed.err, ContainsSubstring(sentence));
    CHECK_THAT(listed.out, ContainsSubstring("rms_norm"));
  }
  const TemporaryFolder folder;
  const Finished refused = compare(folderWith(folder, "refuses_to_prepare"), "bad");
  CHECK(refused.exitCode == 5);
  CHECK_THAT(refused.out + refused.err, ContainsSubstring("n must be odd"));
}

TEST_CASE("a plugin that crashes ends its engine, with a name") {
  for (const char* plugin : {"crashes_describing", "crashes_calling"}) {
    CAPTURE(plugin);
    const TemporaryFolder folder;
    const Finished done = compare(folderWith(folder, plugin), "bad", "process");
    CHECK(done.exitCode == 8);
    CHECK_THAT(done.err, ContainsSubstring("EngineDied") && ContainsSubstring("SIGABRT"));
  }
}
