// SPDX-License-Identifier: GPL-3.0-or-later
#include <QAction>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QTemporaryDir>
#include <QUrl>
#include <catch2/catch_test_macros.hpp>
#include <fstream>

#include "panels/banner.h"
#include "panels/inspector_panel.h"
#include "panels/verdict_bar.h"
#include "state/text.h"
#include "ui/window_bench.h"

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;
using opscope::uitest::waitFor;

namespace {

const QString kSteps = QStringLiteral(OPSCOPE_TEST_DATA "/traces/kineto-steps.json");

}  // namespace

TEST_CASE("a trace that is dropped on the window opens, and says that it was imported") {
  Bench bench;
  QMimeData mime;
  mime.setUrls({QUrl::fromLocalFile(kSteps)});
  // Without the first Qt knows of no widget that the second could be for.
  QDragEnterEvent enter(QPoint(100, 100), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&bench.window, &enter);
  CHECK(enter.isAccepted());
  QDropEvent drop(QPointF(100, 100), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
  QCoreApplication::sendEvent(&bench.window, &drop);
  REQUIRE(waitFor([&] { return !bench.window.session().runs().empty(); }));
  const auto& run = bench.window.session().runs().front();
  CHECK(run->figures == "imported");
  const Selected& now = bench.window.selection().now();
  CHECK(now.run == run);
  REQUIRE(now.item.kind == SelectedItem::Kind::Gap);
  const QString verdict = bench.window.verdictBar().plainText();
  CHECK(verdict.contains(QStringLiteral("imported: recorded by PyTorch profiler (Kineto)")));
  CHECK(verdict.contains(QStringLiteral("not measured by Opscope")));
  CHECK_FALSE(verdict.contains(QStringLiteral("L2")));
  CHECK_FALSE(verdict.contains(QStringLiteral("drop")));
  const QString inspected = bench.window.findChild<InspectorPanel*>()->toPlainText();
  CHECK(inspected.contains(QStringLiteral("PyTorch profiler (Kineto)")));
  CHECK_FALSE(inspected.contains(QStringLiteral("seed")));
  CHECK(bench.window.session().hasUnsaved());  // no session holds it yet
}

TEST_CASE("a trace that cannot be read is a banner with the byte, and no run") {
  QTemporaryDir folder;
  const std::string file = folder.filePath(QStringLiteral("cut.json")).toStdString();
  std::ofstream(file) << R"({"traceEvents": [{"ph": "X")";
  Bench bench;
  bench.window.openFiles({file});
  REQUIRE(waitFor([&] { return bench.window.banner().isVisibleTo(&bench.window); }));
  CHECK(bench.window.banner().shownText().contains(QStringLiteral("truncated")));
  CHECK(bench.window.banner().shownText().contains(QStringLiteral("byte 27")));
  CHECK(bench.window.session().runs().empty());
}

TEST_CASE("Esc stops an import") {
  Bench bench;
  QAction* stop = bench.action(Qt::Key_Escape);
  REQUIRE(stop);
  CHECK_FALSE(stop->isEnabled());
  int stopped = 0;
  QObject::connect(stop, &QAction::enabledChanged, [&](bool enabled) {
    if (!enabled) return;
    ++stopped;
    stop->trigger();
  });
  bench.window.openFiles({kSteps.toStdString()});
  REQUIRE(waitFor([&] { return stopped > 0 && !stop->isEnabled(); }));
  CHECK(bench.window.session().runs().empty());
  CHECK_FALSE(bench.window.banner().isVisibleTo(&bench.window));
  // The next one is another import, which nobody stopped.
  stop->disconnect();
  bench.window.openFiles({kSteps.toStdString()});
  CHECK(waitFor([&] { return bench.window.session().runs().size() == 1; }));
}
