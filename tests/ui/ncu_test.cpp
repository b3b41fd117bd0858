// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch_test_macros.hpp>

#include "state/ncu_command.h"
#include "timing/pass.h"
#include "ui/synthetic_run.h"

using namespace opscope;
using namespace opscope::ui;

namespace {

/// A call of five kernels: k<1>, k<2>, which starts before it, other, and a graph of two k<1>.
struct Called {
  Called() {
    uitest::TraceBuilder builder;
    builder.begin();
    early = builder.kernel("void ns::k<1>(float*)", 5'000, 700, 7, -900);
    late = builder.kernel("void ns::k<2>(float*)", 1'000, 700, 7, -100);
    other = builder.kernel("other", 8'000, 700, 7, 100);
    second = builder.kernel("void ns::k<1>(float*)", 12'000, 700, 7, 200);
    first = builder.kernel("void ns::k<1>(float*)", 10'000, 700, 7, 300);
    // One graph launch has both: the one that starts first comes first.
    builder.trace.kernels[first].correlationId = builder.trace.kernels[second].correlationId;
    builder.end(20'000);
    stray = builder.strayKernel("stray", 15'000, 100);
    auto made = std::make_shared<Pass>();
    made->trace = std::move(builder.trace);
    pass = made;
    run = uitest::syntheticRun();
    run->figures = "GPU";
    run->seed = 42;
  }
  QString command(std::uint32_t kernel) const { return ncuCommand(*run, PassIndex(pass), kernel).command; }

  std::shared_ptr<const Pass> pass;
  std::shared_ptr<Run> run;
  std::uint32_t early = 0, late = 0, other = 0, first = 0, second = 0, stray = 0;
};

}  // namespace

TEST_CASE("the ncu command finds a kernel by its name and its place among the launches of that name") {
  const Called called;
  CHECK(called.command(called.other) ==
        QStringLiteral("ncu --profile-from-start off --kernel-name-base function --kernel-name other "
                       "--launch-skip 0 --launch-count 1 --set full --clock-control none opscope launch "
                       "--device cuda:0 --op rms_norm --workload llama-8b-prefill --dtype bf16 "
                       "--dim cols=4096 --dim rows=2048 --impl one-pass --seed 42"));
  const auto skips = [&](std::uint32_t kernel) {
    const QString command = called.command(kernel);
    CHECK(command.contains(QStringLiteral("--kernel-name k ")));
    return command.section(QStringLiteral("--launch-skip "), 1).section(QLatin1Char(' '), 0, 0).toInt();
  };
  CHECK(skips(called.early) == 0);
  CHECK(skips(called.late) == 1);
  CHECK(skips(called.first) == 2);
  CHECK(skips(called.second) == 3);
}

TEST_CASE("the ncu command leaves the caches as the measurement did") {
  Called called;
  called.run->l2 = "warm";
  CHECK(called.command(called.other).contains(QStringLiteral("--cache-control none")));
}

TEST_CASE("there is no ncu command for what no GPU ran or no call launched") {
  Called called;
  CHECK(ncuCommand(*called.run, PassIndex(called.pass), called.stray).command.isEmpty());
  CHECK_FALSE(ncuCommand(*called.run, PassIndex(called.pass), called.stray).whyNot.isEmpty());
  called.run->figures = "host CPU";
  CHECK(called.command(called.other).isEmpty());
}

TEST_CASE("a shell reads a word as it was meant") {
  CHECK(shellWord("k_1") == "k_1");
  CHECK(shellWord("a b") == "'a b'");
  CHECK(shellWord("it's") == R"('it'\''s')");
  CHECK(shellWord("") == "''");
  CHECK(shellWord("$(rm)") == "'$(rm)'");
}
