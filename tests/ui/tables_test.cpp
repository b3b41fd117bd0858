// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLineEdit>
#include <QTest>
#include <QThread>
#include <atomic>
#include <catch2/catch_test_macros.hpp>

#include "panels/op_picker.h"
#include "panels/table_model.h"
#include "ui/fake_engine.h"
#include "ui/wait_for.h"

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::waitFor;

TEST_CASE("a large table is sorted and filtered off the GUI thread, the newest request wins") {
  const auto* gui = QThread::currentThread();
  std::atomic<int> here = 0;
  TableColumn column;
  column.text = [](std::size_t row) { return QStringLiteral("row %1").arg(row); };
  column.number = [&here, gui](std::size_t row) {
    if (QThread::currentThread() == gui) ++here;
    return -static_cast<double>(row);
  };
  constexpr std::size_t kRows = 4 * TableModel::kAtOnce;
  TableModel model;
  int arranged = 0;
  QObject::connect(&model, &TableModel::arranged, [&] { ++arranged; });
  model.setContents(kRows, {column});
  CHECK(model.rowCount() == static_cast<int>(kRows));
  model.sort(0, Qt::AscendingOrder);
  CHECK(model.sourceRow(0) == 0);  // as it was, until it is done
  model.setFilter(QStringLiteral("row 1999"));
  REQUIRE(waitFor([&] { return !model.isArranging(); }));
  CHECK(arranged == 1);  // of the two requests only the newest
  CHECK(here == 0);
  // 1999, and 19 990 to 19 999, downwards.
  REQUIRE(model.rowCount() == 11);
  CHECK(model.sourceRow(0) == 19'999);
  CHECK(model.sourceRow(10) == 1'999);
  CHECK(model.viewRow(1'999) == 10);
  CHECK(model.viewRow(5) == -1);
  CHECK(model.viewRow(kRows) == -1);
  // Other contents are sorted and filtered alike; a request that was on its way does not touch them.
  model.setFilter({});
  model.setContents(3, {column});
  CHECK(model.rowCount() == 3);
  CHECK(model.sourceRow(0) == 2);
  REQUIRE(waitFor([&] { return !model.isArranging(); }));
  CHECK(model.rowCount() == 3);
}

TEST_CASE("an op is found by a few letters, and picked and measured without the mouse") {
  OpPicker picker;
  picker.setOps(uitest::FakeEngine().catalogue());
  picker.show();
  QStringList chosen;
  QStringList activated;
  QObject::connect(&picker, &OpPicker::chosen, [&](const QString& name) { chosen << name; });
  QObject::connect(&picker, &OpPicker::activated, [&](const QString& name) { activated << name; });
  auto* typed = picker.findChild<QLineEdit*>();
  QTest::keyClicks(typed, QStringLiteral("norm"));
  CHECK(picker.shown() == QStringList{QStringLiteral("rms_norm")});
  QTest::keyClick(typed, Qt::Key_Down);
  CHECK(chosen == QStringList{QStringLiteral("rms_norm")});
  QTest::keyClick(typed, Qt::Key_Return);
  CHECK(activated == QStringList{QStringLiteral("rms_norm")});
  typed->clear();
  CHECK(picker.shown().size() == 2);
  QTest::keyClick(typed, Qt::Key_Down);
  QTest::keyClick(typed, Qt::Key_Down);
  CHECK(chosen.back() == QStringLiteral("rms_norm"));
  QTest::keyClick(typed, Qt::Key_Up);
  CHECK(chosen.back() == QStringLiteral("add"));
  QTest::keyClicks(typed, QStringLiteral("no such op"));
  CHECK(picker.shown().isEmpty());
  QTest::keyClick(typed, Qt::Key_Down);
  CHECK(chosen.back() == QStringLiteral("add"));
}
