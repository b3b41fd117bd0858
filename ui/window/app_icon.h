// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QIcon>

namespace opscope::ui {

/// The program's icon, drawn: the same as resources/icons/opscope.svg, which a machine without Qt's SVG
/// plug-in cannot read.
QIcon appIcon();

}  // namespace opscope::ui
