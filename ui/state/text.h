// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <string_view>

#include "base/error.h"
#include "base/format.h"

namespace opscope::ui {

/// Text of the core, as Qt's.
QString text(std::string_view utf8);
/// "12.61 us" in a unit that the caller chose once for its view.
QString timeText(TimeUnit unit, double ns);
/// "7 420 ns", every digit.
QString exactText(Ns ns);
/// With a full stop when it ends without one: what happened and what to do stand beside each other.
QString sentenceText(std::string_view words);
/// The whole failure for a banner or a dialog: what happened, where, what to do.
QString describeText(const ErrorInfo& error);
/// Wall time as in "2026-03-01 14:05:09", local; "unknown" for 0, which a trace without a clock has.
QString wallTimeText(std::int64_t unixNs);
/// The letter under which a comparison names its implementations: A, B, ... Z, then 27, 28, ...
QString letterOf(std::size_t implementation);
/// A longer name as its beginning and its end, "void gemm<in … (float*)"; others as they are.
QString shortName(const QString& name, qsizetype longest = 300);
/// What has no space to be broken at, in lines that a tooltip has room for.
QString folded(const QString& words);

}  // namespace opscope::ui
