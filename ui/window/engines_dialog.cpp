// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/engines_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "state/text.h"
#include "state/worker.h"

namespace opscope::ui {

EnginesDialog::EnginesDialog(EngineList engines, Trial trial, QWidget* parent)
    : QDialog(parent),
      engines_(std::move(engines)),
      trial_(std::move(trial)),
      worker_(new Worker(this)),
      list_(new QListWidget),
      name_(new QLineEdit),
      where_(new QLineEdit),
      found_(new QLabel),
      remove_(new QPushButton(tr("&Remove"))),
      try_(new QPushButton(tr("&Test"))),
      use_(new QPushButton(tr("&Use"))) {
  setWindowTitle(tr("Engines"));
  resize(760, 380);
  list_->setObjectName(QStringLiteral("engines"));
  list_->setAccessibleName(tr("Engines"));
  name_->setObjectName(QStringLiteral("name"));
  where_->setObjectName(QStringLiteral("where"));
  where_->setPlaceholderText(tr("ssh gpu-box opscope serve"));
  found_->setObjectName(QStringLiteral("found"));
  found_->setWordWrap(true);
  found_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  found_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  try_->setToolTip(tr("Start it, ask who it is and what it measures on, and end it"));
  use_->setToolTip(tr("Measure with it from now on"));

  auto* add = new QPushButton(tr("&Add"));
  auto* form = new QFormLayout;
  form->addRow(tr("&Name"), name_);
  form->addRow(tr("&Command"), where_);
  auto* buttons = new QHBoxLayout;
  for (QPushButton* button : {try_, use_}) buttons->addWidget(button);
  buttons->addStretch();
  auto* right = new QVBoxLayout;
  right->addLayout(form);
  right->addLayout(buttons);
  right->addWidget(found_, 1);
  auto* below = new QHBoxLayout;
  for (QPushButton* button : {add, remove_}) below->addWidget(button);
  auto* left = new QVBoxLayout;
  left->addWidget(list_, 1);
  left->addLayout(below);
  auto* columns = new QHBoxLayout;
  columns->addLayout(left, 2);
  columns->addLayout(right, 3);
  auto* box = new QDialogButtonBox(QDialogButtonBox::Close);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(columns, 1);
  layout->addWidget(box);
  for (QPushButton* button : findChildren<QPushButton*>()) button->setAutoDefault(false);

  connect(box, &QDialogButtonBox::rejected, this, &QDialog::close);
  connect(list_, &QListWidget::currentRowChanged, this, &EnginesDialog::showSelected);
  connect(name_, &QLineEdit::editingFinished, this, &EnginesDialog::keepEdits);
  connect(where_, &QLineEdit::editingFinished, this, &EnginesDialog::keepEdits);
  connect(where_, &QLineEdit::textEdited, this, &EnginesDialog::updateButtons);
  connect(add, &QPushButton::clicked, this, &EnginesDialog::addEngine);
  connect(remove_, &QPushButton::clicked, this, &EnginesDialog::removeEngine);
  connect(try_, &QPushButton::clicked, this, &EnginesDialog::tryIt);
  connect(use_, &QPushButton::clicked, this, &EnginesDialog::useIt);

  std::size_t current = 0;
  for (std::size_t i = 0; i < engines_.all().size(); ++i)
    if (engines_.all()[i].where == engines_.current()) current = i;
  fill(current);
}

EnginesDialog::~EnginesDialog() = default;

std::size_t EnginesDialog::selected() const {
  return static_cast<std::size_t>(std::max(0, list_->currentRow()));
}

void EnginesDialog::fill(std::size_t selected) {
  const QSignalBlocker blocker(list_);
  list_->clear();
  for (const NamedEngine& engine : engines_.all()) {
    auto* item = new QListWidgetItem(engine.name.isEmpty() ? engine.where : engine.name);
    QFont font = item->font();
    font.setBold(engine.where == engines_.current());
    item->setFont(font);
    if (font.bold()) item->setToolTip(tr("Measures now"));
    list_->addItem(item);
  }
  list_->setCurrentRow(static_cast<int>(selected));
  showSelected();
}

void EnginesDialog::showSelected() {
  const NamedEngine& engine = engines_.all().at(selected());
  const bool own = engines_.isBuiltIn(selected());
  name_->setText(engine.name);
  where_->setText(engine.where);
  name_->setReadOnly(own);
  where_->setReadOnly(own);
  remove_->setEnabled(!own);
  updateButtons();
  say({});
}

// By what stands in the line: whoever has typed a command can press the button at once.
void EnginesDialog::updateButtons() {
  const QString where = where_->text().trimmed();
  try_->setEnabled(!where.isEmpty());
  use_->setEnabled(!where.isEmpty() && where != engines_.current());
}

void EnginesDialog::keepEdits() {
  const std::size_t index = selected();
  const NamedEngine edited{name_->text().trimmed(), where_->text().trimmed()};
  if (engines_.isBuiltIn(index) || engines_.all().at(index) == edited) return;
  if (engines_.all().at(index).where == engines_.current()) engines_.use(edited.where);
  engines_.change(index, edited);
  fill(index);
  Q_EMIT changed(engines_);
}

void EnginesDialog::addEngine() {
  fill(engines_.add({tr("New engine"), {}}));
  name_->setFocus();
  name_->selectAll();
}

void EnginesDialog::removeEngine() {
  const std::size_t index = selected();
  if (engines_.all().at(index).where == engines_.current()) engines_.use(engines_.all().front().where);
  engines_.remove(index);
  fill(index - 1);
  Q_EMIT changed(engines_);
}

void EnginesDialog::tryIt() {
  keepEdits();
  const QString where = engines_.all().at(selected()).where;
  say(tr("Trying %1 ...").arg(where));
  const int number = ++trials_;
  worker_->post([this, number, trial = trial_, where = where.toStdString()]() -> std::function<void()> {
    QString words;
    try {
      words = trialText(trial(where));
    } catch (...) {
      words = describeText(currentErrorInfo());
    }
    return [this, number, words] {
      if (number == trials_) found_->setText(words);
    };
  });
}

void EnginesDialog::useIt() {
  keepEdits();
  engines_.use(engines_.all().at(selected()).where);
  fill(selected());
  Q_EMIT changed(engines_);
}

// Whatever a trial still says is of another engine then.
void EnginesDialog::say(const QString& words) {
  ++trials_;
  found_->setText(words);
}

}  // namespace opscope::ui
