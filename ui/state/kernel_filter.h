// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRegularExpression>
#include <QString>
#include <set>
#include <string>

namespace opscope::ui {

/// Which kernels are meant: by what was typed into the search and by chips. Empty parts let everything
/// through.
class KernelFilter {
 public:
  /// A regular expression, ignoring case; what is no valid one is searched for as it stands.
  void setPattern(const QString& pattern);
  const QString& pattern() const { return pattern_; }
  /// The pattern is taken as plain text.
  bool isPlain() const { return plain_; }

  std::set<std::uint32_t> streams;
  std::set<std::string> names;  ///< base names

  bool any() const { return !pattern_.isEmpty() || !streams.empty() || !names.empty(); }
  bool fits(const std::string& name, std::uint32_t stream) const;
  bool fitsName(const std::string& name) const;

 private:
  QString pattern_;
  QRegularExpression expression_;
  bool plain_ = false;
};

}  // namespace opscope::ui
