// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/start_page.h"

#include <QGridLayout>
#include <QLabel>
#include <QListWidget>
#include <algorithm>

#include "panels/op_picker.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

QListWidget* makeList(const QString& name) {
  auto* list = new QListWidget;
  list->setAccessibleName(name);
  list->setWordWrap(true);
  list->setAlternatingRowColors(true);
  list->setSpacing(3);
  list->setTextElideMode(Qt::ElideNone);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  return list;
}

void sayNothing(QListWidget* list, const QString& sentence) {
  auto* item = new QListWidgetItem(sentence, list);
  item->setFlags(Qt::ItemIsEnabled);  // a disabled item is too faint to read on some dark palettes
  QFont slanted = list->font();
  slanted.setItalic(true);
  item->setFont(slanted);
}

}  // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent), samples_(makeList(tr("Recorded sessions"))), ops_(new OpPicker) {
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(28, 20, 28, 20);
  layout->setHorizontalSpacing(24);
  layout->setVerticalSpacing(8);
  auto* title = new QLabel(tr("<h2>Why is this GPU op slow?</h2>"));
  auto* how = new QLabel(
      tr("Pick an op and press <b>F5</b> to measure it, or open a recorded session. The run opens at "
         "its median iteration with the largest gap selected."));
  how->setWordWrap(true);
  layout->addWidget(title, 0, 0, 1, 2);
  layout->addWidget(how, 1, 0, 1, 2);
  layout->addWidget(new QLabel(tr("<b>Recorded sessions</b>")), 2, 0);
  layout->addWidget(new QLabel(tr("<b>Ops</b>")), 2, 1);
  layout->addWidget(samples_, 3, 0);
  layout->addWidget(ops_, 3, 1);
  layout->setRowStretch(3, 1);
  layout->setColumnStretch(0, 1);
  layout->setColumnStretch(1, 3);

  const auto open = [this](QListWidgetItem* item) {
    const QString file = item->data(Qt::UserRole).toString();
    if (!file.isEmpty()) Q_EMIT openRequested(std::filesystem::path(file.toStdString()));
  };
  connect(samples_, &QListWidget::itemActivated, this, open);
  connect(samples_, &QListWidget::itemClicked, this, open);
  connect(ops_, &OpPicker::chosen, this, &StartPage::opChosen);
  connect(ops_, &OpPicker::activated, this, [this](const QString& name) {
    Q_EMIT opChosen(name);
    Q_EMIT measureRequested();
  });
  findSamples();
}

void StartPage::findSamples() {
  try {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(resourceFolder() / "samples")) {
      if (entry.path().extension() == ".opscope") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      auto* item = new QListWidgetItem(text(file.stem().string()).replace(QLatin1Char('_'), QLatin1Char(' ')),
                                       samples_);
      item->setData(Qt::UserRole, text(file.string()));
      item->setToolTip(text(file.string()));
    }
  } catch (const std::exception&) {
    // Said below: a missing folder and an empty one are the same to who looks for a session.
  }
  if (samples_->count() == 0)
    sayNothing(samples_, tr("No recorded sessions came with this program. Ctrl+O opens a file."));
}

int StartPage::samples() const {
  int count = 0;
  for (int i = 0; i < samples_->count(); ++i) count += samples_->item(i)->data(Qt::UserRole).isNull() ? 0 : 1;
  return count;
}

void StartPage::setOps(const CatalogueInfo& catalogue) {
  ops_->setOps(catalogue);
}

}  // namespace opscope::ui
