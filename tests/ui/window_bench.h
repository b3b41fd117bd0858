// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QDockWidget>
#include <QSettings>
#include <QTemporaryDir>
#include <catch2/catch_test_macros.hpp>
#include <filesystem>

#include "ui/fake_engine.h"
#include "ui/wait_for.h"
#include "window/main_window.h"

namespace opscope::uitest {

/// A window over an engine, with settings of its own, shown and idle. On the GUI thread.
struct Bench {
  explicit Bench(std::shared_ptr<Engine> engine = std::make_shared<FakeEngine>())
      : settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat),
        window(std::move(engine), settings) {
    window.show();
    settle();
  }
  std::filesystem::path file(const char* name) const {
    return folder.filePath(QString::fromUtf8(name)).toStdString();
  }
  void settle() {
    REQUIRE(waitFor([&] { return window.worker().pending() == 0; }));
  }
  QAction* action(const QKeySequence& key) {
    for (QAction* one : window.findChildren<QAction*>())
      if (one->shortcuts().contains(key)) return one;
    return nullptr;
  }

  QTemporaryDir folder;
  QSettings settings;
  ui::MainWindow window;
};

/// Brings a dock to the front by its name.
inline void raiseDock(ui::MainWindow& window, const char* dock) {
  window.findChild<QDockWidget*>(QString::fromUtf8(dock))->raise();
}

}  // namespace opscope::uitest
