// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <catch2/catch_session.hpp>

// A test that draws needs an application; where no platform is set, none is shown.
int main(int argc, char** argv) {
  if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  QApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("opscope"));
  QApplication::setApplicationName(QStringLiteral("opscope-ui-tests"));
  return Catch::Session().run(argc, argv);
}
