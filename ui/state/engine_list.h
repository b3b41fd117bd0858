// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <vector>

#include "remote/make_engine.h"

class QSettings;

namespace opscope::ui {

/// An engine under a name of the user's.
struct NamedEngine {
  QString name;
  QString where;  ///< "local", "process", or a command line
  bool operator==(const NamedEngine&) const = default;
};

/// The engines that the window knows, and the one it uses. The two in this machine are always there, first.
class EngineList {
 public:
  EngineList();
  static EngineList from(const QSettings& settings);
  void saveTo(QSettings& settings) const;

  const std::vector<NamedEngine>& all() const { return engines_; }
  bool isBuiltIn(std::size_t index) const;
  std::size_t add(const NamedEngine& engine);  ///< returns its index
  void change(std::size_t index, const NamedEngine& engine);
  void remove(std::size_t index);

  const QString& current() const { return current_; }  ///< its `where`
  void use(const QString& where) { current_ = where; }

 private:
  std::vector<NamedEngine> engines_;
  QString current_;
};

/// What a trial found, for a person: who answered and when, what can be measured there, and why no GPU can.
QString trialText(const EngineTrial& trial);

}  // namespace opscope::ui
