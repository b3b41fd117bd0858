// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch_test_macros.hpp>

#include "state/engine_list.h"
#include "ui/wait_for.h"
#include "window/engines_dialog.h"

using namespace opscope;
using namespace opscope::ui;
using opscope::uitest::waitFor;

namespace {

EngineTrial gpuBox() {
  EngineTrial trial;
  trial.identity = {"0.1.0", "gpu-box", 77};
  trial.answered = std::chrono::milliseconds(412);
  trial.devices.resize(1);
  trial.devices[0].id = "cuda:0";
  trial.devices[0].name = "NVIDIA H200";
  trial.devices[0].figures = FigureKind::Gpu;
  return trial;
}

QPushButton* buttonOf(EnginesDialog& dialog, const char* words) {
  for (QPushButton* button : dialog.findChildren<QPushButton*>())
    if (button->text() == QString::fromUtf8(words)) return button;
  return nullptr;
}

}  // namespace

TEST_CASE("engines are kept by name, with the one that is used") {
  QTemporaryDir folder;
  QSettings settings(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
  EngineList list = EngineList::from(settings);
  REQUIRE(list.all().size() == 2);
  CHECK(list.current() == QStringLiteral("process"));
  list.add({QStringLiteral("the box"), QStringLiteral("ssh gpu-box opscope serve")});
  list.add({QStringLiteral("the queue"), QStringLiteral("srun --gres=gpu:1 opscope serve")});
  list.use(QStringLiteral("ssh gpu-box opscope serve"));
  list.saveTo(settings);
  EngineList back = EngineList::from(settings);
  CHECK(back.all() == list.all());
  CHECK(back.current() == list.current());

  back.remove(0);  // those of this machine stay
  back.change(1, {QStringLiteral("x"), QStringLiteral("y")});
  CHECK(back.all() == list.all());
  back.remove(2);
  REQUIRE(back.all().size() == 3);
  back.saveTo(settings);
  CHECK(EngineList::from(settings).all().at(2).name == QStringLiteral("the queue"));
}

TEST_CASE("a trial is told in sentences") {
  const QString found = trialText(gpuBox());
  CHECK(found.contains(QStringLiteral("Opscope 0.1.0 on gpu-box answered in 412.0 ms")));
  CHECK(found.contains(QStringLiteral("NVIDIA H200 (cuda:0)")));
  CHECK_FALSE(found.contains(QStringLiteral("No GPU")));

  EngineTrial hostOnly = gpuBox();
  hostOnly.devices[0].figures = FigureKind::HostCpu;
  hostOnly.checks = {
      {Check::State::Ok, "host", "is there", ""},
      {Check::State::Missing, "NVIDIA driver", "libcuda.so.1 was not found", "Install the driver."}};
  CHECK(trialText(hostOnly).contains(
      QStringLiteral("No GPU there: NVIDIA driver: libcuda.so.1 was not found. Install the driver.")));
}

TEST_CASE("the dialog adds an engine, tries it and uses it") {
  std::string tried;
  EnginesDialog dialog({}, [&](const std::string& where) {
    tried = where;
    if (where == "bad") throw EngineDied("The engine `bad` cannot be started", "Install it.");
    return gpuBox();
  });
  dialog.show();
  QString used;
  QObject::connect(&dialog, &EnginesDialog::changed,
                   [&](const EngineList& engines) { used = engines.current(); });
  auto* list = dialog.findChild<QListWidget*>(QStringLiteral("engines"));
  auto* where = dialog.findChild<QLineEdit*>(QStringLiteral("where"));
  auto* found = dialog.findChild<QLabel*>(QStringLiteral("found"));
  CHECK(list->count() == 2);
  CHECK(where->isReadOnly());
  CHECK_FALSE(buttonOf(dialog, "&Remove")->isEnabled());

  buttonOf(dialog, "&Add")->click();
  REQUIRE(list->count() == 3);
  CHECK_FALSE(where->isReadOnly());
  CHECK_FALSE(buttonOf(dialog, "&Use")->isEnabled());
  QTest::keyClicks(where, QStringLiteral("bad"));
  buttonOf(dialog, "&Test")->click();
  CHECK(found->text().contains(QStringLiteral("Trying bad")));
  REQUIRE(waitFor([&] { return found->text().contains(QStringLiteral("cannot be started. Install it.")); }));

  where->setText(QStringLiteral("ssh gpu-box opscope serve"));
  Q_EMIT where->editingFinished();
  buttonOf(dialog, "&Test")->click();
  REQUIRE(waitFor([&] { return found->text().contains(QStringLiteral("NVIDIA H200")); }));
  CHECK(tried == "ssh gpu-box opscope serve");
  buttonOf(dialog, "&Use")->click();
  CHECK(used == QStringLiteral("ssh gpu-box opscope serve"));
  CHECK_FALSE(buttonOf(dialog, "&Use")->isEnabled());

  buttonOf(dialog, "&Remove")->click();
  CHECK(list->count() == 2);
  CHECK(used == QStringLiteral("process"));  // what was used is gone
}
