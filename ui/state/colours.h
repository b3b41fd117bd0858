// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <Qt>
#include <string_view>

#include "trace/gaps.h"

namespace opscope::ui {

/// Okabe and Ito's colours, which stay apart for the colour-blind. A word or a hatch always stands beside
/// them.
QColor implementationColour(std::size_t implementation);
QColor causeColour(GapCause cause);
Qt::BrushStyle causeHatch(GapCause cause);

/// A kernel's name without return type, namespaces, template arguments and parameters: what is the same when
/// only a tile size differs.
std::string_view kernelBaseName(std::string_view name);
/// Muted and stable: the same base name has the same hue in every run and on every machine.
QColor kernelColour(std::string_view name, bool dark);
/// Black or white, whichever is read better on a colour.
QColor textOn(const QColor& fill);

}  // namespace opscope::ui
