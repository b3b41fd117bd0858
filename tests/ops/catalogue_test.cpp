// SPDX-License-Identifier: Apache-2.0
#include "ops/catalogue.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "base/temporary_folder.h"
#include "ops/near_names.h"
#include "small_op.h"

using namespace opscope;
using opscope::test::TemporaryFolder;
using opscope::testing::kSmallOp;

TEST_CASE("a bad file costs only its own ops", "[ops]") {
  const TemporaryFolder folder;
  folder.write("a.yaml", kSmallOp);
  folder.write("b.yaml", "broken: [\n");
  folder.write("c.yaml", kSmallOp);
  folder.write("d.txt", "not an op");
  folder.write("traps.cu", "");
  const Catalogue catalogue = Catalogue::load({folder.path(), folder.path() / "missing"});
  REQUIRE(catalogue.ops().size() == 1);
  CHECK(catalogue.op("scale").file == folder.path() / "a.yaml");
  CHECK(catalogue.op("scale").implementation("direct").bodies.at("cuda").source ==
        folder.path() / "traps.cu");
  REQUIRE(catalogue.problems().size() == 3);
  CHECK(catalogue.problems()[0].place.file == (folder.path() / "b.yaml").string());
  CHECK(catalogue.problems()[0].place.line == 2);
  CHECK_THAT(catalogue.problems()[1].message, Catch::Matchers::ContainsSubstring("defined already"));
  CHECK(catalogue.problems()[1].place.file == (folder.path() / "c.yaml").string());
  CHECK(catalogue.problems()[2].code == ErrorCode::CannotRead);
}

TEST_CASE("unknown names offer near ones", "[ops]") {
  const OpSpec op = opscope::testing::smallOp();
  CHECK_THROWS_AS(op.workload("smal"), UnknownName);
  try {
    op.implementation("dierct");
    FAIL("found");
  } catch (const UnknownName& error) {
    CHECK_THAT(error.info().remedy, Catch::Matchers::ContainsSubstring("Did you mean direct?"));
  }
  CHECK(nearNames("rmsnorm", {"add", "rms_norm", "gemm"}) == std::vector<std::string>{"rms_norm"});
  CHECK(nearNames("norm", {"add", "rms_norm"}) == std::vector<std::string>{"rms_norm"});
  CHECK(nearNames("xyz", {"add", "rms_norm", "gemm"}).empty());
  CHECK(nearNames("", {"add"}).empty());
  CHECK(nameRemedy("x", {}, "ops") == "There are no ops here.");
}
