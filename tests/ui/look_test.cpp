// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QListWidget>
#include <QMouseEvent>
#include <QPushButton>
#include <QSettings>
#include <QStyleFactory>
#include <QTemporaryDir>
#include <catch2/catch_test_macros.hpp>

#include "device/provider.h"
#include "findings/findings.h"
#include "panels/banner.h"
#include "panels/compare_panel.h"
#include "panels/methods_panel.h"
#include "panels/roofline_panel.h"
#include "panels/source_panel.h"
#include "panels/sweep_panel.h"
#include "plots/sweep_plot.h"
#include "plots/timeline_plot.h"
#include "remote/make_engine.h"
#include "session/store.h"
#include "state/focus.h"
#include "ui/dark_palette.h"
#include "ui/fake_engine.h"
#include "ui/synthetic_run.h"
#include "ui/wait_for.h"
#include "ui/window_bench.h"
#include "window/engines_dialog.h"
#include "window/main_window.h"

// Pictures of the window for a person to look at, in light and dark:
//   OPSCOPE_LOOK=folder [OPSCOPE_LOOK_SESSION=file] [QT_SCALE_FACTOR=2] test_ui_window "[look]"

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::raiseDock;
using opscope::uitest::settleFor;

namespace {

void look(MainWindow& window, const QString& name) {
  settleFor();
  const QString file =
      qEnvironmentVariable("OPSCOPE_LOOK") + QLatin1Char('/') + name + QStringLiteral(".png");
  REQUIRE(window.grab().save(file));
}

}  // namespace

TEST_CASE("pictures of the window to look at", "[.look]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) SKIP("OPSCOPE_LOOK names no folder to write pictures into");
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  std::vector<std::shared_ptr<const Run>> runs{uitest::syntheticRun(),
                                               uitest::failingRun(ErrorCode::OffThreadLaunch)};
  if (qEnvironmentVariableIsSet("OPSCOPE_LOOK_SESSION")) {
    const Session session = readSession(qEnvironmentVariable("OPSCOPE_LOOK_SESSION").toStdString());
    runs.insert(runs.end(), session.runs.begin(), session.runs.end());
  }
  const QPalette light = QApplication::palette();
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? uitest::darkPalette() : light);
    const QString theme = dark ? QStringLiteral("dark-") : QStringLiteral("light-");
    QTemporaryDir folder;
    QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
    MainWindow window(std::make_shared<uitest::FakeEngine>(), settings);
    window.show();
    look(window, theme + QStringLiteral("start"));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      window.session().add(runs[i]);
      window.selection().select(openingSelection(runs[i]));
      look(window, theme + QStringLiteral("run%1").arg(i + 1));
    }
    window.selection().select(openingSelection(runs[0]));
    const Pass& pass = *window.selection().now().passOrNull();
    window.selection().selectRange(Interval{pass.gaps[window.selection().now().item.index].start,
                                            pass.gaps[window.selection().now().item.index].end});
    raiseDock(window, "gaps");
    look(window, theme + QStringLiteral("gaps"));
    window.selection().select(medianSelection(runs[1], 1));
    raiseDock(window, "iterations");
    window.banner().show({ErrorCode::CannotRead,
                          "The file sample.opscope is not a session: it is not a SQLite database.",
                          "Choose a file that Opscope wrote.",
                          {}});
    look(window, theme + QStringLiteral("failure"));
    window.banner().hide();
    window.selection().select(openingSelection(runs.back()));
    raiseDock(window, "kernels");
    window.resize(1'000, 640);
    look(window, theme + QStringLiteral("small"));
  }
  QApplication::setPalette(light);
}

TEST_CASE("pictures of the engines to look at", "[.look]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) SKIP("OPSCOPE_LOOK names no folder to write pictures into");
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  const QPalette light = QApplication::palette();
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? uitest::darkPalette() : light);
    EngineList engines;
    engines.add({QStringLiteral("the box"), QStringLiteral("no-such-program serve")});
    EnginesDialog dialog(engines, [](const std::string& where) { return tryEngine(where); });
    dialog.show();
    auto* list = dialog.findChild<QListWidget*>(QStringLiteral("engines"));
    for (int row = 0; row < list->count(); ++row) {
      list->setCurrentRow(row);
      for (QPushButton* button : dialog.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("&Test")) button->click();
      const auto* found = dialog.findChild<QLabel*>(QStringLiteral("found"));
      REQUIRE(uitest::waitFor([&] { return !found->text().startsWith(QStringLiteral("Trying")); }));
      REQUIRE(dialog.grab().save(QStringLiteral("%1/%2engines%3.png")
                                     .arg(qEnvironmentVariable("OPSCOPE_LOOK"),
                                          dark ? QStringLiteral("dark-") : QStringLiteral("light-"))
                                     .arg(row + 1)));
    }
  }
  QApplication::setPalette(light);
}

TEST_CASE("tooltips of the timeline to look at", "[.look]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) SKIP("OPSCOPE_LOOK names no folder to write pictures into");
  Selection selection;
  TimelinePlot plot(selection);
  plot.resize(1'000, 320);
  plot.show();
  selection.select(openingSelection(uitest::syntheticRun()));
  settleFor();
  const auto hover = [&](LaneKind kind, double ns, const char* name) {
    for (std::size_t i = 0; i < plot.lanes().lanes.size(); ++i) {
      if (plot.lanes().lanes[i].kind != kind) continue;
      const QPointF at(plot.transform().xOf(ns), plot.laneCentre(i));
      QMouseEvent move(QEvent::MouseMove, at, plot.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                       Qt::NoModifier);
      QCoreApplication::sendEvent(&plot, &move);
      settleFor();
      for (QWidget* top : QApplication::topLevelWidgets()) {
        if (!top->inherits("QTipLabel") || !top->isVisible()) continue;
        REQUIRE(top->grab().save(qEnvironmentVariable("OPSCOPE_LOOK") + QLatin1Char('/') +
                                 QString::fromUtf8(name) + QStringLiteral(".png")));
      }
      return;
    }
  };
  hover(LaneKind::Stream, 1'500, "tip-kernel");
  hover(LaneKind::Gaps, 6'000, "tip-gap");
  hover(LaneKind::Host, 6'000, "tip-launch");
}

TEST_CASE("ranges that an op marks to look at", "[.look]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) SKIP("OPSCOPE_LOOK names no folder to write pictures into");
  const QPalette light = QApplication::palette();
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? uitest::darkPalette() : light);
    Selection selection;
    TimelinePlot plot(selection);
    plot.resize(1'100, 420);
    plot.show();
    selection.select(openingSelection(uitest::markedRun()));
    selection.selectIteration(0, 3);
    const auto save = [&](const char* name) {
      settleFor();
      REQUIRE(plot.grab().save(QStringLiteral("%1/%2ranges-%3.png")
                                   .arg(qEnvironmentVariable("OPSCOPE_LOOK"),
                                        dark ? QStringLiteral("dark-") : QStringLiteral("light-"),
                                        QString::fromUtf8(name))));
    };
    save("iteration");
    plot.setMode(TimelineMode::Pass);
    save("pass");
  }
  QApplication::setPalette(light);
}

namespace {

void lookAt(QWidget& widget, bool dark, const char* name) {
  widget.show();
  settleFor();
  REQUIRE(widget.grab().save(QStringLiteral("%1/%2%3.png")
                                 .arg(qEnvironmentVariable("OPSCOPE_LOOK"),
                                      dark ? QStringLiteral("dark-") : QStringLiteral("light-"),
                                      QString::fromUtf8(name))));
}

std::shared_ptr<Run> runUnderCeilings() {
  auto run = uitest::syntheticRun();
  run->ceilings = Ceilings{"2026-01-01 00:00 UTC",
                           Ceiling{4.1e12, {}, "triad float32 n=134217728"},
                           Ceiling{7.9e14, 1'620, "gemm bf16 m=8192"},
                           {}};
  CounterReading reading;
  reading.kernels = {"k"};
  reading.calls = {{{.dramRead = 50'000'000, .dramWritten = 17'200'000, .l2 = 1, .profiled = 1}}};
  run->implementations[1].counters = reading;
  const auto at = [](std::size_t n, double median) {
    Summary one;
    one.n = n;
    one.median = median;
    one.p10 = 0.97 * median;
    one.p90 = 1.06 * median;
    return one;
  };
  for (ImplementationResult& result : run->implementations) {
    result.methods = {
        {"records: busy", "clean", "kernels alone: the union of their intervals", 1, result.busy, {}},
        {"records: latency", "clean", "kernels and gaps", 1, result.latency, {}},
        {"event pair", "clean", "kernels, gaps and both events, behind the clear", 1, at(40, 19'300), {}},
        {"event loop",
         "warm",
         "kernels, gaps, and issuing where it is slower than the device",
         40,
         at(5, 16'900),
         {}},
        {"graph replay",
         "warm",
         "kernels and the gaps of a graph; nothing of the host",
         100,
         {},
         ErrorInfo{
             ErrorCode::NotSupported, "The call synchronises inside", "Measure it by its records.", {}}},
        {"host wall clock",
         "clean",
         "issuing, launch latency, kernels, gaps and the wait",
         1,
         at(40, 31'000),
         {}}};
    result.tracingCost = TracingCost{at(40, 16'000), at(40, 17'400), {}};
  }
  run->findings = findIn(*run);
  return run;
}

}  // namespace

TEST_CASE("pictures of roofline, methods and sweep to look at", "[.look]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) SKIP("OPSCOPE_LOOK names no folder to write pictures into");
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  const QPalette light = QApplication::palette();
  const auto run = runUnderCeilings();
  auto smaller = std::make_shared<Run>(*run);
  smaller->bytes /= 3;
  smaller->workload = "small";
  auto bytes = std::make_shared<Run>(*run);
  bytes->flops = 0;
  auto above = std::make_shared<Run>(*run);
  above->ceilings->memory->perSecond = 3e12;
  above->findings = findIn(*above);
  SessionModel sizes;
  for (const std::int64_t rows : {128, 256, 512, 1'024, 2'048, 4'096}) {
    auto sized = std::make_shared<Run>(*run);
    sized->dims["rows"] = rows;
    const double scale = static_cast<double>(rows) / 2'048;
    sized->bytes *= scale;
    sized->flops *= scale;
    double fixed = 1'800;
    for (ImplementationResult& result : sized->implementations) {
      for (double* value : {&result.busy.median, &result.busy.p10, &result.busy.p90})
        *value = *value * scale + fixed;
      fixed *= 4;
    }
    sizes.add(sized);
  }
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? uitest::darkPalette() : light);
    const std::pair<const char*, std::shared_ptr<const Run>> pictures[] = {
        {"roofline", run},
        {"roofline-bytes", bytes},
        {"roofline-above", above},
        {"roofline-bare", uitest::syntheticRun()}};
    for (const auto& [name, shown] : pictures) {
      SessionModel session;
      Selection selection;
      session.add(shown);
      session.add(smaller);
      selection.select(medianSelection(shown, 0));
      RooflinePanel panel(session, selection);
      panel.resize(1'100, 380);
      lookAt(panel, dark, name);
    }
    Selection selection;
    selection.select(medianSelection(run, 1));
    MethodsPanel methods(selection);
    methods.resize(1'300, 330);
    lookAt(methods, dark, "methods");
    selection.select(medianSelection(sizes.runs()[3], 0));
    SweepPanel sweep(sizes, selection);
    sweep.resize(1'100, 380);
    lookAt(sweep, dark, "sweep");
    sweep.plot().setQuantity(SweepPlot::Quantity::Efficiency);
    lookAt(sweep, dark, "sweep-efficiency");
    ComparePanel compare(sizes, selection);
    compare.resize(1'300, 200);
    lookAt(compare, dark, "compare-efficiency");
  }
  QApplication::setPalette(light);
}

namespace {

/// A device that gets warm, and is held down in the end.
std::shared_ptr<const Pass> withSensors(const Pass& pass) {
  auto sensed = std::make_shared<Pass>(pass);
  for (int i = 0; i < 8; ++i) {
    TelemetrySample sample;
    sample.at = pass.trace.iterations.back().drained - (8 - i) * 60 * kMillisecond;
    sample.smClockMhz = 1'980 - 15 * i;
    sample.temperatureC = 40 + i;
    sample.powerMilliwatt = 130'000 + 20'000 * i;
    sample.throttleReasons = i < 5 ? 0 : kThrottlePower;
    sensed->telemetry.push_back(sample);
  }
  return sensed;
}

}  // namespace

TEST_CASE("pictures of every dock to look at", "[.look]") {
  if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) SKIP("OPSCOPE_LOOK names no folder to write pictures into");
  QApplication::setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
  const QPalette light = QApplication::palette();
  const std::filesystem::path resources = resourceFolder();
  const OpSources sources{"rms_norm",
                          "one-pass",
                          (resources / "kernels" / "rms_norm.cu").string(),
                          {(resources / "ops" / "rms_norm.yaml").string(), 29, 5}};
  for (const bool dark : {false, true}) {
    QApplication::setPalette(dark ? uitest::darkPalette() : light);
    const QString theme = dark ? QStringLiteral("dark-dock-") : QStringLiteral("light-dock-");
    uitest::Bench bench;
    MainWindow& window = bench.window;
    for (const std::int64_t rows : {1'024, 2'048, 4'096}) {
      for (const std::int64_t day : {1, 2}) {
        auto run = runUnderCeilings();
        run->environment["architecture"] = "sm_90";
        run->dims["rows"] = rows;
        run->startedUnixNs += day * 86'400 * kSecond;
        run->passes[0] = withSensors(*run->passes[0]);
        window.session().add(run);
      }
    }
    window.selection().select(openingSelection(window.session().runs()[3]));
    window.source().show(sources, true);
    window.source().setState(QStringLiteral("compiles, and is verified"));
    for (const QDockWidget* dock : window.findChildren<QDockWidget*>()) {
      const QString name = dock->objectName();
      if (name == QStringLiteral("runs") || name == QStringLiteral("inspector")) continue;
      raiseDock(window, name.toUtf8().constData());
      look(window, theme + name);
    }
    window.source().setState(QStringLiteral("cannot be measured"));
    window.source().setMessages(
        {{sources.code, 12, 5, true, QStringLiteral("expected a \";\"")},
         {"rms_norm.cu", 20, 0, false, QStringLiteral("variable \"a\" was declared but never referenced")},
         {sources.spec.file, 31, 7, true, QStringLiteral("unknown key \"sorce\": did you mean source?")}});
    window.source().goTo(window.source().messages()[0]);
    raiseDock(window, "source");
    look(window, theme + QStringLiteral("source-broken"));
  }
  QApplication::setPalette(light);
}
