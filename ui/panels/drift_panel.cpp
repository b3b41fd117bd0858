// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/drift_panel.h"

#include <QCheckBox>
#include <QLabel>
#include <QVBoxLayout>

#include "plots/drift_plot.h"
#include "session/comparison.h"
#include "state/text.h"

namespace opscope::ui {

DriftPanel::DriftPanel(Selection& selection, QWidget* parent)
    : QWidget(parent),
      plot_(new DriftPlot(selection)),
      words_(new QLabel),
      seen_(*this, [this, &selection] { say(selection.now()); }) {
  words_->setWordWrap(true);
  auto* relative = new QCheckBox(tr("Against each implementation's own median"));
  relative->setChecked(plot_->isRelative());
  relative->setToolTip(tr("So that the drift of a fast one and a slow one are seen alike"));
  connect(relative, &QCheckBox::toggled, plot_, &DriftPlot::setRelative);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 2, 4, 2);
  layout->setSpacing(2);
  layout->addWidget(relative);
  layout->addWidget(plot_, 1);
  layout->addWidget(words_);
  connect(&selection, &Selection::changed, &seen_, &WhenSeen::ask);
  say(selection.now());
}

void DriftPanel::say(const Selected& now) {
  QStringList sentences;
  if (now.run && now.run->comparison) {
    const BlockComparison& comparison = *now.run->comparison;
    for (const std::string& sentence :
         {driftSentence(comparison), fixedOrderSentence(*now.run, comparison), settlingSentence(*now.run)})
      if (!sentence.empty()) sentences << text(sentence);
  }
  words_->setText(sentences.join(QLatin1Char(' ')));
  words_->setVisible(!sentences.isEmpty());
}

}  // namespace opscope::ui
