// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/progress_bar.h"

#include <QHBoxLayout>
#include <algorithm>

#include "state/text.h"

namespace opscope::ui {

QString progressText(const Progress& progress) {
  QString words;
  if (progress.pass > 0) words = QObject::tr("pass %1 of %2, ").arg(progress.pass).arg(progress.passes);
  if (!progress.implementation.empty()) words += text(progress.implementation) + QStringLiteral(": ");
  words += text(nameOf(progress.phase));
  if (progress.iterations > 0)
    words += QObject::tr(" %1 of %2").arg(progress.iteration).arg(progress.iterations);
  if (progress.remainingNs > 0) {
    const auto seconds = (progress.remainingNs + kSecond - 1) / kSecond;
    words += QObject::tr(", %1 s left").arg(seconds);
  }
  return words;
}

MeasureProgress::MeasureProgress(QWidget* parent)
    : QWidget(parent), words_(new QLabel(this)), bar_(new QProgressBar(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(words_);
  layout->addWidget(bar_);
  bar_->setFixedWidth(160);
  bar_->setTextVisible(false);
  bar_->setRange(0, 1'000);
  setAccessibleName(tr("Progress"));
  hide();
}

void MeasureProgress::begin(const QString& what) {
  what_ = what.isEmpty() ? QString() : what + QStringLiteral(": ");
  words_->setText(what_ + tr("starting"));
  bar_->setValue(0);
  QWidget::show();
}

void MeasureProgress::show(const Progress& progress) {
  words_->setText(what_ + progressText(progress));
  if (progress.passes == 0) return;
  const double inPass = progress.phase == Phase::Measure && progress.iterations > 0
                            ? static_cast<double>(progress.iteration) / progress.iterations
                            : 0;
  const double done = (std::max(1U, progress.pass) - 1 + inPass) / progress.passes;
  bar_->setValue(std::max(bar_->value(), static_cast<int>(1'000 * std::clamp(done, 0.0, 1.0))));
}

void MeasureProgress::show(const QString& words, double share) {
  words_->setText(words);
  bar_->setValue(static_cast<int>(1'000 * std::clamp(share, 0.0, 1.0)));
  QWidget::show();
}

void MeasureProgress::end() {
  hide();
}

}  // namespace opscope::ui
