// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QDockWidget>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QMimeData>
#include <QStyleFactory>
#include <QTest>
#include <QUrl>
#include <catch2/catch_test_macros.hpp>
#include <ctime>
#include <string_view>

#include "panels/banner.h"
#include "panels/code_view.h"
#include "panels/compare_panel.h"
#include "panels/log_panel.h"
#include "panels/pickers_bar.h"
#include "panels/source_panel.h"
#include "panels/verdict_bar.h"
#include "plots/timeline_plot.h"
#include "remote/make_engine.h"
#include "state/engine_list.h"
#include "state/op_folders.h"
#include "ui/dark_palette.h"
#include "ui/window_bench.h"

// Edit, save, F5, compare: the loop in which a kernel is made faster.

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::Bench;
using opscope::uitest::kPatience;
using opscope::uitest::waitFor;

namespace {

constexpr const char* kEager = "rms_norm.eager";  // eight kernels, with their results in memory
constexpr const char* kScratch =
    "\n        scratch:\n"
    "          wide: {shape: [M, N], dtype: float32}\n"
    "          squares: {shape: [M, N], dtype: float32}\n"
    "          sums: {shape: [M], dtype: float32}\n"
    "          narrow: {shape: [M, N]}";

/// An op of the host's own functions: by name, as a .cu would be by its file.
QByteArray spec(const char* function, int rows = 64) {
  return QByteArray(
             "mine:\n"
             "  family: mine\n"
             "  signature:\n"
             "    inputs:\n"
             "      x: {shape: [M, N], distribution: \"normal(0, 1)\"}\n"
             "      weight: {shape: [N], distribution: \"uniform(0.5, 1.5)\"}\n"
             "    outputs:\n"
             "      y: {shape: [M, N]}\n"
             "    params:\n"
             "      eps: {default: 1e-6}\n"
             "  dtypes: [float32]\n"
             "  workloads:\n"
             "    - {label: small, M: ") +
         QByteArray::number(rows) +
         ", N: 512}\n"
         "  roofline: {flops: 4 * M * N, bytes: 8 * M * N}\n"
         "  reference: rms_norm\n"
         "  implementations:\n"
         "    direct:\n"
         "      host:\n"
         "        function: " +
         function + (std::string_view(function) == kEager ? kScratch : "") +
         "\n"
         "    other:\n"
         "      host: {function: rms_norm.one_pass}\n";
}

/// As an editor does it: a new file takes the old one's place.
void save(const QString& path, const QByteArray& words) {
  const QString next = path + QStringLiteral(".new");
  {
    QFile file(next);
    REQUIRE(file.open(QIODevice::WriteOnly));
    REQUIRE(file.write(words) == words.size());
  }
  REQUIRE(std::rename(next.toUtf8().constData(), path.toUtf8().constData()) == 0);
}

struct Loop : Bench {
  explicit Loop(const char* where = kLocalEngine) : Bench(makeEngine(std::string(where))) {
    EngineList engines;
    engines.use(QString::fromUtf8(where));
    engines.saveTo(settings);
    QDir(folder.path()).mkdir(QStringLiteral("ops"));
    QObject::connect(&window, &MainWindow::checked, [this](bool good) {
      ++checks;
      lastGood = good;
    });
    REQUIRE(waitFor([&] { return window.pickers().isReady(); }, kPatience));
  }
  QString ops(const char* name) const {
    return folder.filePath(QStringLiteral("ops/") + QString::fromUtf8(name));
  }
  void pickHost() {
    window.pickers().pickDevice(QStringLiteral("host"));
    REQUIRE(waitFor([&] { return window.pickers().isReady(); }, kPatience));
  }
  void drop(const QString& path) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(path)});
    QDragEnterEvent enter(QPoint(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &enter);
    QDropEvent event(QPointF(10, 10), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&window, &event);
  }
  bool waitForPicked(const char* op) {
    const bool picked = waitFor([&] { return window.pickers().job().op == op; }, kPatience);
    UNSCOPED_INFO("banner: " << window.banner().shownText().toStdString()
                             << " log: " << window.findChild<LogPanel*>()->toPlainText().toStdString());
    return picked;
  }
  bool waitForCheck(int before) {
    return waitFor([&] { return checks > before && !window.bridge().isRunning(); }, kPatience);
  }
  bool waitForRuns(std::size_t count) {
    return waitFor([&] { return window.session().runs().size() == count && !window.bridge().isRunning(); },
                   kPatience);
  }
  SourcePanel& source() { return window.source(); }
  int checks = 0;
  bool lastGood = false;
};

}  // namespace

TEST_CASE("a folder that is dropped is kept, its op picked and its source shown") {
  Loop loop(kProcessEngine);  // which is started again with the folder
  loop.pickHost();
  save(loop.ops("mine.yaml"), spec(kEager));
  loop.drop(loop.folder.filePath(QStringLiteral("ops")));
  REQUIRE(loop.waitForPicked("mine"));
  CHECK(opFolders(loop.settings) ==
        QStringList{QDir(loop.folder.filePath(QStringLiteral("ops"))).canonicalPath()});
  REQUIRE(loop.source().shown());
  CHECK(loop.source().shown()->op == "mine");
  CHECK(loop.source().spec().toPlainText().contains(QStringLiteral("rms_norm.eager")));
  CHECK(loop.source().spec().currentLine() == 17);
  CHECK(loop.window.findChild<QDockWidget*>(QStringLiteral("source"))->isVisible());

  loop.window.forgetOps(opFolders(loop.settings).front());
  REQUIRE(waitFor([&] { return loop.window.pickers().job().op != "mine"; }, kPatience));
  CHECK(opFolders(loop.settings).isEmpty());

  save(loop.folder.filePath(QStringLiteral("lonely.cu")), "__global__ void f() {}\n");
  loop.drop(loop.folder.filePath(QStringLiteral("lonely.cu")));
  CHECK(loop.window.banner().shownText().contains(QStringLiteral("holds no op")));
}

TEST_CASE("edit, save, F5: a new run beside the old one, compared with the pinned one") {
  Loop loop;
  loop.pickHost();
  save(loop.ops("mine.yaml"), spec(kEager));
  loop.drop(loop.ops("mine.yaml"));
  REQUIRE(loop.waitForPicked("mine"));
  loop.window.pickers().pickImplementations({QStringLiteral("direct")});
  loop.settings.setValue(QStringLiteral("measure/blocks"), 2);  // a comparison, if not a verdict
  loop.action(Qt::Key_F5)->trigger();
  REQUIRE(loop.waitForRuns(1));
  INFO(loop.window.banner().shownText().toStdString());
  const auto before = loop.window.session().runs()[0];
  REQUIRE(before->implementations[0].hasNumber());
  CHECK(before->implementations[0].kernelsMax > 1);
  loop.window.timeline().setFocus();
  loop.action(Qt::Key_B)->trigger();
  REQUIRE(loop.window.session().baseline());

  QElapsedTimer clock;
  clock.start();
  int checks = loop.checks;
  save(loop.ops("mine.yaml"), spec("rms_norm.one_pass"));
  REQUIRE(loop.waitForCheck(checks));
  const qint64 checked = clock.elapsed();
  CHECK(loop.lastGood);
  CHECK(loop.source().state().contains(QStringLiteral("verified")));
  CHECK(loop.source().spec().toPlainText().contains(QStringLiteral("rms_norm.one_pass")));
  CHECK(loop.window.session().runs().size() == 1);  // a check is no run
  CHECK(loop.window.pickers().job().implementations == std::vector<std::string>{"direct"});

  const auto saved = [&](const char* words) {
    clock.start();
    save(loop.ops("mine.yaml"), spec("rms_norm.one_pass") + words);
    return waitFor([&] { return loop.source().spec().toPlainText().endsWith(QString::fromUtf8(words)); });
  };
  const std::clock_t worked = std::clock();
  REQUIRE(saved("# once\n"));
  loop.window.measureOnce();
  REQUIRE(loop.waitForRuns(2));
  const qint64 once = clock.elapsed();
  const double processorSeconds = static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC;
  REQUIRE(loop.window.session().runs()[1]->implementations[0].hasNumber());

  REQUIRE(saved("# F5 at once\n"));
  REQUIRE(loop.action(Qt::Key_F5)->isEnabled());
  loop.action(Qt::Key_F5)->trigger();
  REQUIRE(loop.waitForRuns(3));
  WARN("host CPU: from save to checked "
       << checked << " ms, to the new result " << once << " ms with Shift+F5 (one block, " << processorSeconds
       << " s of the processors), " << clock.elapsed() << " ms with F5 (6 blocks)");
  // Two seconds, of a host thread and a stream's. How long that takes is the business of whoever else
  // computes here.
  CHECK(processorSeconds < 4);
  const auto now = loop.window.session().runs()[2];
  REQUIRE(now->implementations[0].hasNumber());
  CHECK(now->implementations[0].kernelsMax == 1);
  CHECK(loop.window.selection().now().run == now);
  auto* compare = loop.window.findChild<ComparePanel*>();
  REQUIRE(compare->model().rowCount() == 2);
  CHECK(compare->model().index(0, 0).data().toString().startsWith(QStringLiteral("pinned: direct")));
  CHECK_FALSE(compare->model().index(1, 5).data().toString().isEmpty());
  CHECK_FALSE(compare->model().index(1, 6).data().toString().isEmpty());
  CHECK(loop.window.verdictBar().plainText().contains(QStringLiteral("the pinned baseline")));
}

TEST_CASE(
    "what is wrong with a spec is said at its line, and what was picked comes back with the next save") {
  Loop loop;
  loop.pickHost();
  save(loop.ops("mine.yaml"), spec(kEager));
  loop.drop(loop.ops("mine.yaml"));
  REQUIRE(loop.waitForPicked("mine"));
  loop.window.pickers().pickImplementations({QStringLiteral("direct")});

  int checks = loop.checks;
  save(loop.ops("mine.yaml"), spec(kEager).replace("workloads:", "workload:"));
  REQUIRE(loop.waitForCheck(checks));
  CHECK_FALSE(loop.lastGood);
  REQUIRE(loop.source().messages().size() == 1);
  CHECK(loop.source().messages()[0].line == 12);
  CHECK(loop.source().messages()[0].words.contains(QStringLiteral("workload")));
  REQUIRE(loop.source().spec().messages().size() == 1);
  CHECK(loop.window.banner().shownText().contains(QStringLiteral("workload")));
  CHECK(loop.window.pickers().job().op == "mine");
  loop.source().spec().goTo(1);
  Q_EMIT loop.source().list().itemClicked(loop.source().list().item(0));
  CHECK(loop.source().spec().currentLine() == 12);

  // F5 on a broken spec measures nothing, and says why again.
  checks = loop.checks;
  loop.action(Qt::Key_F5)->trigger();
  REQUIRE(loop.waitForCheck(checks));
  CHECK(loop.window.session().runs().empty());

  checks = loop.checks;
  save(loop.ops("mine.yaml"), spec("there.is_no_such"));
  REQUIRE(loop.waitForCheck(checks));
  CHECK_FALSE(loop.lastGood);
  REQUIRE_FALSE(loop.source().messages().empty());
  CHECK(loop.source().messages()[0].line == 17);
  CHECK(loop.source().messages()[0].words.contains(QStringLiteral("there.is_no_such")));
  CHECK(loop.source().state().contains(QStringLiteral("cannot be measured")));

  checks = loop.checks;
  save(loop.ops("mine.yaml"), spec(kEager, 32));
  REQUIRE(loop.waitForCheck(checks));
  CHECK(loop.lastGood);
  CHECK(loop.source().messages().empty());
  CHECK_FALSE(loop.window.banner().isVisible());
  CHECK(loop.window.pickers().job().op == "mine");
  CHECK(loop.window.pickers().job().implementations == std::vector<std::string>{"direct"});
}

TEST_CASE("a new op from the template is written, kept and picked") {
  Loop loop;
  loop.window.newOp(loop.folder.filePath(QStringLiteral("ops")), QStringLiteral("my-op"));
  REQUIRE(waitFor([&] { return loop.source().shown() && loop.source().shown()->op == "my-op"; }, kPatience));
  CHECK(QFile::exists(loop.ops("my-op.cu")));
  CHECK(loop.window.pickers().catalogue().ops.back().name == "my-op");
  loop.window.newOp(loop.folder.filePath(QStringLiteral("ops")), QStringLiteral("my-op"));
  CHECK(loop.window.banner().shownText().contains(QStringLiteral("is there already")));
  loop.window.newOp(loop.folder.filePath(QStringLiteral("ops")), QStringLiteral("1st"));
  CHECK(loop.window.banner().shownText().contains(QStringLiteral("cannot be an op's name")));
}

// Edit, save, F5 on a GPU, with the kernel that "New op from template" writes:
//   [OPSCOPE_LOOK=folder] test_ui_window "[gpu]"
TEST_CASE("a kernel is edited, saved and measured again on the GPU", "[.gpu]") {
  Loop loop(kProcessEngine);
  loop.window.pickers().pickDevice(QStringLiteral("cuda:0"));
  if (!loop.window.pickers().device() || loop.window.pickers().device()->figures != FigureKind::Gpu)
    SKIP("This machine has no GPU that can be used");
  const auto look = [&](const char* name) {
    if (!qEnvironmentVariableIsSet("OPSCOPE_LOOK")) return;
    QCoreApplication::processEvents();
    REQUIRE(loop.window.grab().save(qEnvironmentVariable("OPSCOPE_LOOK") + QLatin1Char('/') +
                                    QString::fromUtf8(name) + QStringLiteral(".png")));
  };
  loop.window.newOp(loop.folder.filePath(QStringLiteral("ops")), QStringLiteral("mine"));
  REQUIRE(loop.waitForPicked("mine"));
  loop.window.pickers().pickDtype(QStringLiteral("bfloat16"));
  loop.window.pickers().pickImplementations({QStringLiteral("direct")});
  CHECK(loop.source().code().toPlainText().contains(QStringLiteral("mine_direct")));
  loop.action(Qt::Key_F5)->trigger();
  REQUIRE(loop.waitForRuns(1));
  INFO(loop.window.banner().shownText().toStdString());
  REQUIRE(loop.window.session().runs()[0]->implementations[0].hasNumber());
  loop.action(Qt::Key_B)->trigger();
  look("gpu-1-pinned");

  QFile file(loop.ops("mine.cu"));
  REQUIRE(file.open(QIODevice::ReadOnly));
  const QByteArray source = file.readAll();
  // A semicolon is missing.
  int checks = loop.checks;
  save(loop.ops("mine.cu"), QByteArray(source).replace("fromFloat(2 * toFloat(x[i]), y[i]);",
                                                       "fromFloat(2 * toFloat(x[i]), z[i])"));
  REQUIRE(loop.waitForCheck(checks));
  CHECK_FALSE(loop.lastGood);
  REQUIRE_FALSE(loop.source().code().messages().empty());
  CHECK(loop.source().code().messages()[0].line == 8);
  look("gpu-2-broken");

  // Sixteen times the work, of the same result.
  const QByteArray slower = QByteArray(source).replace(
      "if (i < M * N) fromFloat(2 * toFloat(x[i]), y[i]);",
      "if (i >= M * N) return;\n  float sum = 0;\n  for (int k = 0; k < 16; ++k)\n    sum += "
      "toFloat(x[(i + k * 65536) % (M * N)]) * (k == 0 ? 2.0f : 0.0f);\n  fromFloat(sum, y[i]);");
  REQUIRE(slower != source);
  QElapsedTimer clock;
  clock.start();
  save(loop.ops("mine.cu"), slower);
  REQUIRE(waitFor([&] { return loop.source().code().toPlainText().contains(QStringLiteral("float sum")); }));
  const qint64 noticed = clock.elapsed();
  loop.window.measureOnce();
  REQUIRE(loop.waitForRuns(2));
  const qint64 once = clock.elapsed();
  INFO(loop.window.banner().shownText().toStdString());
  REQUIRE(loop.window.session().runs()[1]->implementations[0].hasNumber());
  look("gpu-3-once");
  clock.start();
  save(loop.ops("mine.cu"), slower + "// once more\n");
  REQUIRE(
      waitFor([&] { return loop.source().code().toPlainText().endsWith(QStringLiteral("once more\n")); }));
  loop.action(Qt::Key_F5)->trigger();
  REQUIRE(loop.waitForRuns(3));
  WARN("GPU: noticed after " << noticed << " ms; from save to the new result " << once
                             << " ms with Shift+F5 (one block), " << clock.elapsed()
                             << " ms with F5 (6 blocks)");
  const auto run = loop.window.session().runs()[2];
  REQUIRE(run->implementations[0].hasNumber());
  CHECK(run->implementations[0].busy.median >
        loop.window.session().runs()[0]->implementations[0].busy.median);
  CHECK(loop.window.verdictBar().plainText().contains(QStringLiteral("slower than the pinned baseline")));
  look("gpu-4-slower");
}
