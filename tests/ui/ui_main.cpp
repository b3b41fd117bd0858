// SPDX-License-Identifier: GPL-3.0-or-later
#include <catch2/catch_session.hpp>

#include "ui/watched_application.h"

// A test that draws needs an application; where no platform is set, none is shown.
int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  opscope::uitest::WatchedApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("opscope"));
  QApplication::setApplicationName(QStringLiteral("opscope-ui-tests"));
  return Catch::Session().run(argc, argv);
}
