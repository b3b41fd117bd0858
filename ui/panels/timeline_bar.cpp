// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/timeline_bar.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "plots/timeline_plot.h"
#include "state/text.h"

namespace opscope::ui {

TimelineBar::TimelineBar(Selection& selection, TimelinePlot& timeline, QWidget* parent)
    : QWidget(parent),
      selection_(selection),
      timeline_(timeline),
      modes_(new QButtonGroup(this)),
      chips_(new QHBoxLayout),
      search_(new QLineEdit(this)),
      matches_(new QLabel(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(4, 2, 8, 2);
  layout->setSpacing(6);
  const auto addMode = [&](TimelineMode mode, const QString& words, const QString& hint) {
    auto* button = new QToolButton;
    button->setText(words);
    button->setToolTip(hint);
    button->setCheckable(true);
    button->setAutoRaise(true);
    modes_->addButton(button, static_cast<int>(mode));
    layout->addWidget(button);
  };
  addMode(TimelineMode::Iteration, tr("One iteration"), tr("The selected iteration (1)"));
  addMode(TimelineMode::Overlay, tr("All overlaid"),
          tr("All iterations of the implementation from each one's first kernel: jitter is blurred (2)"));
  addMode(TimelineMode::Pass, tr("Whole pass"), tr("Every iteration of the pass as it ran (3)"));
  layout->addSpacing(8);
  layout->addLayout(chips_);
  layout->addStretch(1);
  layout->addWidget(matches_);
  layout->addWidget(search_);
  search_->setPlaceholderText(tr("Find kernels (regex)"));
  search_->setAccessibleName(tr("Find kernels"));
  search_->setClearButtonEnabled(true);
  search_->setFixedWidth(fontMetrics().averageCharWidth() * 30);
  search_->installEventFilter(this);

  connect(modes_, &QButtonGroup::idClicked, this,
          [this](int mode) { timeline_.setMode(static_cast<TimelineMode>(mode)); });
  connect(&timeline_, &TimelinePlot::modeChanged, this, &TimelineBar::showMode);
  connect(&timeline_, &TimelinePlot::filterChanged, this, &TimelineBar::showFilter);
  connect(&timeline_, &TimelinePlot::viewChanged, this, [this] { matches_->setText(matchText()); });
  connect(&selection_, &Selection::changed, this, [this](const Selected& now, const Selected& before) {
    if (now.brush != before.brush) showFilter();
    matches_->setText(matchText());
  });
  connect(search_, &QLineEdit::textChanged, this, [this](const QString& pattern) {
    KernelFilter next = timeline_.filter();
    next.setPattern(pattern);
    timeline_.setFilter(std::move(next));
  });
  showMode();
  showFilter();
}

void TimelineBar::focusSearch() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

bool TimelineBar::eventFilter(QObject* watched, QEvent* event) {
  if (watched != search_ || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
    timeline_.stepMatch(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
    return true;
  }
  if (key->key() == Qt::Key_Escape) {
    search_->clear();
    timeline_.setFocus();
    return true;
  }
  return false;
}

void TimelineBar::showMode() {
  if (auto* button = modes_->button(static_cast<int>(timeline_.mode()))) button->setChecked(true);
}

QString TimelineBar::matchText() const {
  if (!timeline_.filter().any()) return {};
  const auto count = timeline_.matches().size();
  const QString how = timeline_.filter().isPlain() ? tr(" (as plain text)") : QString();
  if (count == 0) return tr("nothing fits") + how;
  const int at = timeline_.matchOfSelected();
  return (at < 0 ? tr("%1 fit").arg(count) : tr("%1 of %2").arg(at + 1).arg(count)) + how;
}

QStringList TimelineBar::chips() const {
  QStringList words;
  for (const QToolButton* chip : findChildren<QToolButton*>(QStringLiteral("chip"))) words << chip->text();
  return words;
}

void TimelineBar::showFilter() {
  while (QLayoutItem* item = chips_->takeAt(0)) {
    // Not at once: the click that removes a chip comes from the chip.
    item->widget()->setObjectName(QString());
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
  }
  const auto addChip = [this](const QString& words, auto remove) {
    auto* chip = new QToolButton(this);
    chip->setObjectName(QStringLiteral("chip"));
    chip->setText(words + QStringLiteral("  ×"));
    chip->setToolTip(tr("Remove this filter"));
    connect(chip, &QToolButton::clicked, this, remove);
    chips_->addWidget(chip);
  };
  const auto changing = [this](auto change) {
    return [this, change] {
      KernelFilter next = timeline_.filter();
      change(next);
      timeline_.setFilter(std::move(next));
    };
  };
  const KernelFilter& filter = timeline_.filter();
  for (const std::uint32_t id : filter.streams) {
    addChip(tr("stream %1").arg(id), changing([id](KernelFilter& next) { next.streams.erase(id); }));
  }
  for (const std::string& name : filter.names) {
    addChip(shortName(text(name), 40), changing([name](KernelFilter& next) { next.names.erase(name); }));
  }
  if (const auto& brush = selection_.now().brush) {
    const TimeUnit unit = unitFor(static_cast<double>(brush->to));
    const QString range =
        QStringLiteral("%1 - %2").arg(text(formatIn(unit, static_cast<double>(brush->from))),
                                      timeText(unit, static_cast<double>(brush->to)));
    addChip(brush->quantity == Brush::Quantity::Busy ? tr("busy %1").arg(range) : tr("latency %1").arg(range),
            [this] { selection_.selectBrush(std::nullopt); });
  }
  if (search_->text() != filter.pattern()) search_->setText(filter.pattern());
  matches_->setText(matchText());
}

}  // namespace opscope::ui
