// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dark_palette.h"

namespace opscope::uitest {

QPalette darkPalette() {
  QPalette palette(QColor(0x2b, 0x2d, 0x30));
  palette.setColor(QPalette::Base, QColor(0x1e, 0x1f, 0x22));
  palette.setColor(QPalette::AlternateBase, QColor(0x26, 0x28, 0x2b));
  palette.setColor(QPalette::Highlight, QColor(0x35, 0x84, 0xe4));
  for (const auto role : {QPalette::Text, QPalette::ButtonText, QPalette::WindowText}) {
    palette.setColor(QPalette::Disabled, role, QColor(0x80, 0x82, 0x86));
  }
  return palette;
}

}  // namespace opscope::uitest
