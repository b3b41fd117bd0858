// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QElapsedTimer>
#include <QImageWriter>
#include <QLineEdit>
#include <QStyleFactory>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "panels/inspector_panel.h"
#include "panels/op_picker.h"
#include "panels/pickers_bar.h"
#include "panels/start_page.h"
#include "panels/verdict_bar.h"
#include "plots/timeline_plot.h"
#include "remote/make_engine.h"
#include "ui/dark_palette.h"
#include "ui/synthetic_run.h"
#include "ui/window_bench.h"

// From a cold start to an exported answer, as somebody does it who sees the window for the first time: with
// the keys that the window itself shows. OPSCOPE_LOOK=folder keeps a picture of each step, in light and dark.

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;
using opscope::uitest::kPatience;
using opscope::uitest::waitFor;

namespace {

class Steps {
 public:
  Steps(MainWindow& window, QString theme) : window_(window), theme_(std::move(theme)) {}
  void keep(const char* name) {
    ++step_;
    if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) return;
    // Replots that were asked for are events that wait.
    for (int i = 0; i < 20; ++i) QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    QImageWriter writer(QStringLiteral("%1/path-%2-%3%4.png")
                            .arg(qEnvironmentVariable("OPSCOPE_LOOK"))
                            .arg(step_)
                            .arg(QString::fromUtf8(name), theme_),
                        "png");
    writer.setCompression(100);
    REQUIRE(writer.write(window_.grab().toImage().convertToFormat(QImage::Format_Indexed8,
                                                                  Qt::ThresholdDither | Qt::AvoidDither)));
  }

 private:
  MainWindow& window_;
  QString theme_;
  int step_ = 0;
};

/// A key as the window's user presses it: wherever the focus is.
void press(MainWindow& window, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
  QWidget* at = window.focusWidget() ? window.focusWidget() : &window;
  QTest::keyClick(at, key, modifiers);
  QCoreApplication::processEvents();
}

void walk(const QString& theme) {
  Bench bench(makeEngine(std::string(kProcessEngine)));
  MainWindow& window = bench.window;
  window.resize(1'440, 900);
  window.activateWindow();
  Steps steps(window, theme);
  // Fewer blocks than a verdict needs: this test is of the path. Its pictures show what F5 does by itself.
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK"))
    bench.settings.setValue(QStringLiteral("measure/blocks"), 2);
  REQUIRE(waitFor([&] { return window.pickers().isReady(); }, kPatience));
  window.pickers().pickDevice(QStringLiteral("host"));  // where there is a GPU it is chosen by itself
  steps.keep("start");

  // A few letters of what is slow, and Enter on the op that is left.
  auto* typed = window.findChild<OpPicker*>()->findChild<QLineEdit*>();
  typed->setFocus();
  QTest::keyClicks(typed, QStringLiteral("rms"));
  REQUIRE(window.findChild<OpPicker*>()->shown().contains(QStringLiteral("rms_norm")));
  for (int i = 0; i < 5 && window.pickers().job().op != "rms_norm"; ++i) QTest::keyClick(typed, Qt::Key_Down);
  REQUIRE(window.pickers().job().op == "rms_norm");
  window.pickers().pickWorkload(QStringLiteral("tiny"));  // a small one: this test is not about its figures
  steps.keep("op");

  press(window, Qt::Key_F5);
  REQUIRE(window.bridge().isRunning());
  REQUIRE(
      waitFor([&] { return !window.bridge().isRunning() && !window.session().runs().empty(); }, kPatience));
  REQUIRE(window.session().runs().size() == 1);
  auto run = window.session().runs()[0];
  if (qEnvironmentVariableIsSet("OPSCOPE_LOOK")) {
    const std::shared_ptr<const Run> drawn = uitest::ofNoMachine(*run);
    window.session().replace(run, drawn);
    Selected shown = window.selection().now();
    shown.run = run = drawn;
    window.selection().select(shown);
    window.timeline().setFocus();
  }
  const QString verdict = window.verdictBar().plainText();
  CHECK(verdict.contains(QStringLiteral("busy")));
  CHECK(verdict.contains(QStringLiteral("host CPU figures")));
  CHECK(window.selection().now().run == run);
  steps.keep("verdict");

  // The run opened with the timeline in focus: single letters are its own.
  CHECK(window.timeline().hasFocus());
  press(window, Qt::Key_G);
  REQUIRE(window.selection().now().item.kind == SelectedItem::Kind::Gap);
  const SelectedItem largest = window.selection().now().item;
  CHECK(window.findChild<InspectorPanel*>()->toPlainText().contains(QStringLiteral("gap"),
                                                                    Qt::CaseInsensitive));
  steps.keep("largest-gap");

  press(window, Qt::Key_N);
  REQUIRE(window.selection().now().item.kind == SelectedItem::Kind::Gap);
  const std::size_t gaps = window.selection().now().passOrNull()->gaps.size();
  if (gaps > 1) CHECK(window.selection().now().item != largest);
  steps.keep("next-gap");

  // From a kernel to the call that launched it.
  press(window, Qt::Key_Period);
  if (window.selection().now().item.kind != SelectedItem::Kind::Kernel) press(window, Qt::Key_Comma);
  REQUIRE(window.selection().now().item.kind == SelectedItem::Kind::Kernel);
  press(window, Qt::Key_BracketLeft);
  CHECK(window.selection().now().item.kind == SelectedItem::Kind::Launch);
  steps.keep("launch");

  press(window, Qt::Key_B);
  REQUIRE(window.session().baseline());
  CHECK(window.session().baseline()->run == run);
  steps.keep("pinned");

  window.exportTo(bench.file("answer"));
  REQUIRE(waitFor([&] { return std::filesystem::exists(bench.file("answer") / "report.png"); }, kPatience));
  bench.settle();
  for (const char* name : {"report.png", "timeline.png", "summary.md", "summary.csv"}) {
    INFO(name);
    CHECK(std::filesystem::file_size(bench.file("answer") / name) > 0);
  }
  steps.keep("exported");
}

}  // namespace

TEST_CASE("an unpractised hand comes from a cold start to an exported answer") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) {
    walk({});
    return;
  }
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  const QPalette light = QApplication::palette();
  walk({});
  QApplication::setPalette(uitest::darkPalette());
  walk(QStringLiteral("-dark"));
  QApplication::setPalette(light);
}
