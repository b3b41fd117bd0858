// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "engine/engine.h"

namespace opscope::ui {

/// What a list of ops shows of one: a line.
struct OpLine {
  QString name;
  QString family;
  QString doc;       ///< the first sentence
  QString wholeDoc;  ///< everything
};

/// The ops that are there to be measured (none of those made to fail), family by family in the order of the
/// catalogue. Pure.
std::vector<OpLine> opLines(const CatalogueInfo& catalogue);

/// Whether every word that was typed is in its name, its family or its text, ignoring case; an underscore may
/// be left out or typed as a blank.
bool fits(const OpLine& line, const QString& typed);

}  // namespace opscope::ui
