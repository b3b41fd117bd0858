// SPDX-License-Identifier: GPL-3.0-or-later
#include <QThread>
#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <limits>

#include "state/op_list.h"
#include "state/table_rows.h"
#include "ui/fake_engine.h"

// Order and filter of tables, and the list of ops, without widgets.

using namespace opscope;
using namespace opscope::ui;
using Rows = std::vector<std::uint32_t>;

namespace {

const std::vector<QString> kNames{QStringLiteral("gamma"), QStringLiteral("Alpha"), QStringLiteral("beta"),
                                  QStringLiteral("alpha"), QStringLiteral("Beta")};
const std::vector<double> kValues{12.5, 3, 12.5, -1, 7};

TableColumn names(bool withKey) {
  TableColumn column;
  column.text = [](std::size_t row) { return kNames[row]; };
  // Rows 1 and 3, and 2 and 4, are the same but for their case: other keys, one place in the order.
  if (withKey) column.key = [](std::size_t row) { return static_cast<std::uint32_t>(row); };
  return column;
}

TableColumn values() {
  TableColumn column;
  column.text = [](std::size_t row) { return QString::number(kValues[row]); };
  column.number = [](std::size_t row) { return kValues[row]; };
  column.digits = true;
  return column;
}

}  // namespace

TEST_CASE("rows are sorted by number and by text, and equal ones stay as they were") {
  for (const bool withKey : {false, true}) {
    const std::vector<TableColumn> columns{names(withKey), values()};
    CHECK(arrangeRows(5, columns, {}) == Rows{0, 1, 2, 3, 4});
    CHECK(arrangeRows(5, columns, {{}, 1, false}) == Rows{3, 1, 4, 0, 2});
    CHECK(arrangeRows(5, columns, {{}, 1, true}) == Rows{0, 2, 4, 1, 3});
    CHECK(arrangeRows(5, columns, {{}, 0, false}) == Rows{1, 3, 2, 4, 0});
    CHECK(arrangeRows(5, columns, {{}, 0, true}) == Rows{0, 2, 4, 1, 3});
    CHECK(arrangeRows(5, columns, {{}, 7, false}) == Rows{0, 1, 2, 3, 4});  // no such column
    CHECK(arrangeRows(0, columns, {QStringLiteral("x"), 0, false}).empty());
  }
}

TEST_CASE("a row whose number is none comes before all others") {
  TableColumn column;
  column.text = [](std::size_t) { return QString(); };
  column.number = [](std::size_t row) {
    return row % 2 == 0 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(row);
  };
  CHECK(arrangeRows(5, {column}, {{}, 0, false}) == Rows{0, 2, 4, 1, 3});
  CHECK(arrangeRows(5, {column}, {{}, 0, true}) == Rows{3, 1, 0, 2, 4});
}

TEST_CASE("a filter looks into every cell, ignoring case") {
  const std::vector<TableColumn> columns{names(true), values()};
  CHECK(arrangeRows(5, columns, {QStringLiteral("ALPHA")}) == Rows{1, 3});
  CHECK(arrangeRows(5, columns, {QStringLiteral("12.5")}) == Rows{0, 2});
  CHECK(arrangeRows(5, columns, {QStringLiteral("-")}) == Rows{3});
  CHECK(arrangeRows(5, columns, {QStringLiteral("a"), 1, true}) == Rows{0, 2, 4, 1, 3});
  CHECK(arrangeRows(5, columns, {QStringLiteral("nothing")}).empty());
}

TEST_CASE("a filter of letters does not ask columns of digits, and one column is never searched") {
  std::atomic<int> asked = 0;
  TableColumn digits = values();
  digits.text = [&asked](std::size_t row) {
    ++asked;
    return QString::number(kValues[row]);
  };
  TableColumn silent = names(false);
  silent.searched = false;
  CHECK(arrangeRows(5, {digits, silent}, {QStringLiteral("alpha")}).empty());
  CHECK(asked == 0);
  CHECK(arrangeRows(5, {digits, silent}, {QStringLiteral("12")}) == Rows{0, 2});
  CHECK(asked == 4);  // 12.5 twice, and asked once
}

TEST_CASE("ops are listed family by family, without those made to fail") {
  CatalogueInfo catalogue = uitest::FakeEngine().catalogue();
  catalogue.ops.push_back({"mul", "elementwise", "Multiplies. And more.", {}, {}, {}});
  const auto lines = opLines(catalogue);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].name == QStringLiteral("add"));
  CHECK(lines[1].name == QStringLiteral("mul"));
  CHECK(lines[1].doc == QStringLiteral("Multiplies."));
  CHECK(lines[1].wholeDoc == QStringLiteral("Multiplies. And more."));
  CHECK(lines[2].name == QStringLiteral("rms_norm"));
  CHECK(fits(lines[2], {}));
  CHECK(fits(lines[2], QStringLiteral("rms norm")));
  CHECK(fits(lines[2], QStringLiteral("RMSNORM")));
  CHECK(fits(lines[2], QStringLiteral("rows normal")));  // of its text and its family
  CHECK_FALSE(fits(lines[2], QStringLiteral("rms gemm")));
}
