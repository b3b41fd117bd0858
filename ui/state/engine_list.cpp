// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/engine_list.h"

#include <QCoreApplication>
#include <QSettings>
#include <algorithm>

#include "state/text.h"

namespace opscope::ui {
namespace {

constexpr std::size_t kBuiltIn = 2;

QString tr(const char* words) {
  return QCoreApplication::translate("EngineList", words);
}

// Why a GPU cannot be used: what is missing, in the engine's own words.
QString missingText(const std::vector<Check>& checks) {
  for (const Check& check : checks)
    if (check.state == Check::State::Missing)
      return text(check.subject) + QStringLiteral(": ") + sentenceText(check.sentence) + QLatin1Char(' ') +
             text(check.remedy);
  return tr("it has none.");
}

}  // namespace

EngineList::EngineList()
    : engines_{{tr("This machine, in a process of its own"), QString::fromUtf8(kProcessEngine)},
               {tr("This window (a crash ends it)"), QString::fromUtf8(kLocalEngine)}},
      current_(engines_.front().where) {}

EngineList EngineList::from(const QSettings& settings) {
  EngineList list;
  // Not beginReadArray, which needs settings that can be changed.
  const int count = settings.value(QStringLiteral("engines/size")).toInt();
  for (int i = 1; i <= count; ++i) {
    const QString at = QStringLiteral("engines/%1/").arg(i);
    NamedEngine engine{settings.value(at + QStringLiteral("name")).toString(),
                       settings.value(at + QStringLiteral("where")).toString()};
    if (!engine.where.isEmpty()) list.add(engine);
  }
  list.current_ = settings.value(QStringLiteral("engine"), list.current_).toString();
  return list;
}

void EngineList::saveTo(QSettings& settings) const {
  settings.remove(QStringLiteral("engines"));
  settings.beginWriteArray(QStringLiteral("engines"));
  for (std::size_t i = kBuiltIn; i < engines_.size(); ++i) {
    settings.setArrayIndex(static_cast<int>(i - kBuiltIn));
    settings.setValue(QStringLiteral("name"), engines_[i].name);
    settings.setValue(QStringLiteral("where"), engines_[i].where);
  }
  settings.endArray();
  settings.setValue(QStringLiteral("engine"), current_);
}

bool EngineList::isBuiltIn(std::size_t index) const {
  return index < kBuiltIn;
}

std::size_t EngineList::add(const NamedEngine& engine) {
  engines_.push_back(engine);
  return engines_.size() - 1;
}

void EngineList::change(std::size_t index, const NamedEngine& engine) {
  if (!isBuiltIn(index) && index < engines_.size()) engines_[index] = engine;
}

void EngineList::remove(std::size_t index) {
  if (!isBuiltIn(index) && index < engines_.size())
    engines_.erase(engines_.begin() + static_cast<std::ptrdiff_t>(index));
}

QString trialText(const EngineTrial& trial) {
  const double answered = static_cast<double>(trial.answered.count());
  QString words = tr("Opscope %1 on %2 answered in %3.")
                      .arg(text(trial.identity.version), text(trial.identity.host),
                           timeText(unitFor(answered), answered));
  QStringList devices;
  bool gpu = false;
  for (const DeviceInfo& device : trial.devices) {
    devices << QStringLiteral("%1 (%2)").arg(text(device.name), text(device.id));
    gpu = gpu || device.figures == FigureKind::Gpu;
  }
  words += QLatin1Char('\n') + (devices.isEmpty()
                                    ? tr("It has nothing to measure on.")
                                    : tr("Measures on: %1.").arg(devices.join(QStringLiteral(", "))));
  if (!gpu) words += QLatin1Char('\n') + tr("No GPU there: %1").arg(missingText(trial.checks));
  return words;
}

}  // namespace opscope::ui
