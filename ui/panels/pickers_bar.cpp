// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/pickers_bar.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPixmap>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "base/op_families.h"
#include "state/colours.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

QComboBox* addBox(QHBoxLayout* to, const QString& name, const QString& key) {
  auto* label = new QLabel(key);
  auto* box = new QComboBox;
  box->setAccessibleName(name);
  box->setToolTip(name);
  box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  box->setMinimumWidth(box->fontMetrics().averageCharWidth() * 10);  // Stop must stay in sight
  box->setEnabled(false);
  label->setBuddy(box);
  to->addWidget(label);
  to->addWidget(box);
  return box;
}

QIcon swatch(const QColor& colour) {
  QPixmap pixmap(12, 12);
  pixmap.fill(colour);
  return QIcon(pixmap);
}

void choose(QComboBox* box, const QString& data) {
  const int at = box->findData(data);
  if (at >= 0) box->setCurrentIndex(at);
}

}  // namespace

PickersBar::PickersBar(QWidget* parent) : QWidget(parent) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  ops_ = addBox(layout, tr("Op"), tr("&Op"));
  workloads_ = addBox(layout, tr("Workload"), tr("&Workload"));
  dtypes_ = addBox(layout, tr("Data type"), tr("&Type"));
  deviceBox_ = addBox(layout, tr("Device"), tr("&Device"));
  workloads_->setMaximumWidth(fontMetrics().averageCharWidth() * 40);
  deviceBox_->setMaximumWidth(fontMetrics().averageCharWidth() * 34);
  ops_->setPlaceholderText(tr("reading the ops"));
  deviceBox_->setPlaceholderText(tr("looking for devices"));

  row_ = new QWidget;
  rowLayout_ = new QHBoxLayout(row_);
  rowLayout_->setContentsMargins(4, 0, 4, 0);
  row_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  row_->setFixedHeight(ops_->sizeHint().height());
  row_->setAccessibleName(tr("Implementations"));
  popup_ = new QFrame(this, Qt::Popup);
  popupLayout_ = new QVBoxLayout(popup_);
  popup_->setAccessibleName(tr("Implementations"));
  popupButton_ = new QToolButton;
  popupButton_->setArrowType(Qt::DownArrow);
  popupButton_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  popupButton_->hide();
  layout->addWidget(popupButton_);
  layout->addWidget(row_, 1);
  connect(popupButton_, &QToolButton::clicked, this, [this] {
    popup_->adjustSize();
    popup_->move(popupButton_->mapToGlobal(QPoint(0, popupButton_->height())));
    popup_->show();
  });

  connect(ops_, &QComboBox::currentIndexChanged, this, &PickersBar::fillOp);
  connect(workloads_, &QComboBox::currentIndexChanged, this, &PickersBar::fillDtypes);
  connect(dtypes_, &QComboBox::currentIndexChanged, this, &PickersBar::changed);
  connect(deviceBox_, &QComboBox::currentIndexChanged, this, &PickersBar::fillImplementations);
}

void PickersBar::setCatalogue(CatalogueInfo catalogue, std::vector<DeviceInfo> devices) {
  catalogue_ = std::move(catalogue);
  devices_ = std::move(devices);
  {
    const QSignalBlocker quiet(deviceBox_);
    deviceBox_->clear();
    for (const DeviceInfo& device : devices_) {
      deviceBox_->addItem(QStringLiteral("%1 (%2)").arg(text(device.name), text(nameOf(device.figures))),
                          text(device.id));
      deviceBox_->setItemData(deviceBox_->count() - 1,
                              tr("%1: %2 figures, measured by %3")
                                  .arg(text(device.id), text(nameOf(device.figures)), text(device.method)),
                              Qt::ToolTipRole);
    }
    if (devices_.empty()) {
      deviceBox_->setPlaceholderText(tr("no device"));
    } else {
      deviceBox_->setCurrentIndex(0);  // with a placeholder none is chosen by itself
    }
    // A GPU first, as the engine's "auto" does.
    const auto gpu = std::find_if(devices_.begin(), devices_.end(),
                                  [](const DeviceInfo& device) { return device.figures == FigureKind::Gpu; });
    if (gpu != devices_.end()) deviceBox_->setCurrentIndex(static_cast<int>(gpu - devices_.begin()));
    deviceBox_->setEnabled(!devices_.empty());
    const QSignalBlocker quietOps(ops_);
    fillOps();
    const auto start =
        std::find_if(catalogue_.ops.begin(), catalogue_.ops.end(), [](const CatalogueInfo::Op& one) {
          return !isMadeToFail(one.family) && one.implementations.size() > 1;
        });
    if (start != catalogue_.ops.end()) choose(ops_, text(start->name));
  }
  fillOp();
}

void PickersBar::updateCatalogue(CatalogueInfo catalogue) {
  const Job picked = job();
  std::map<QString, bool> checked;
  for (const QCheckBox* box : implementations_)
    checked[box->property("implementation").toString()] = box->isChecked();
  catalogue_ = std::move(catalogue);
  {
    const QSignalBlocker quiet(this);
    const QSignalBlocker quietOps(ops_);
    fillOps();
    choose(ops_, text(picked.op));
    fillOp();
    choose(workloads_, text(picked.workload));
    choose(dtypes_, text(picked.dtype));
    if (op() && op()->name == picked.op) {
      for (QCheckBox* box : implementations_) {
        const auto before = checked.find(box->property("implementation").toString());
        if (before != checked.end()) box->setChecked(before->second);
      }
    }
  }
  Q_EMIT changed();
}

void PickersBar::fillOps() {
  ops_->clear();
  const auto add = [this](const CatalogueInfo::Op& one) {
    ops_->addItem(text(one.name), text(one.name));
    ops_->setItemData(ops_->count() - 1, text(one.doc), Qt::ToolTipRole);
  };
  for (const auto& one : catalogue_.ops) {
    if (!isMadeToFail(one.family)) add(one);
  }
  const int ordinary = ops_->count();
  for (const auto& one : catalogue_.ops) {
    if (isMadeToFail(one.family)) add(one);
  }
  if (ordinary > 0 && ops_->count() > ordinary) ops_->insertSeparator(ordinary);
  ops_->setEnabled(ops_->count() > 0);
}

bool PickersBar::isReady() const {
  return op() && deviceBox_->currentIndex() >= 0 && dtypes_->currentIndex() >= 0 &&
         std::any_of(implementations_.begin(), implementations_.end(),
                     [](const QCheckBox* box) { return box->isChecked(); });
}

const CatalogueInfo::Op* PickersBar::op() const {
  // By name: the picker's order and its separator are its own.
  const std::string name = ops_->currentData().toString().toStdString();
  const auto found = std::find_if(catalogue_.ops.begin(), catalogue_.ops.end(),
                                  [&](const CatalogueInfo::Op& one) { return one.name == name; });
  return ops_->currentIndex() >= 0 && found != catalogue_.ops.end() ? &*found : nullptr;
}

const DeviceInfo* PickersBar::device() const {
  const int at = deviceBox_->currentIndex();
  return at >= 0 ? &devices_[static_cast<std::size_t>(at)] : nullptr;
}

QString PickersBar::deviceKind() const {
  return device() ? text(device()->kind) : QString();
}

void PickersBar::fillOp() {
  {
    const QSignalBlocker quiet(workloads_);
    workloads_->clear();
    if (const auto* chosen = op()) {
      for (const auto& workload : chosen->workloads) {
        QStringList dims;
        for (const auto& [name, size] : workload.dims)
          dims << QStringLiteral("%1=%2").arg(text(name)).arg(size);
        workloads_->addItem(text(workload.label), text(workload.label));
        workloads_->setItemData(workloads_->count() - 1, dims.join(QStringLiteral(", ")), Qt::ToolTipRole);
      }
    }
    workloads_->setEnabled(workloads_->count() > 0);
  }
  fillImplementations();
  fillDtypes();
}

void PickersBar::fillDtypes() {
  {
    const QSignalBlocker quiet(dtypes_);
    const QString kept = dtypes_->currentText();
    dtypes_->clear();
    const auto* chosen = op();
    const int at = workloads_->currentIndex();
    if (chosen && at >= 0) {
      const auto& workload = chosen->workloads[static_cast<std::size_t>(at)];
      for (const std::string& dtype : workload.dtypes.empty() ? chosen->dtypes : workload.dtypes) {
        dtypes_->addItem(text(dtype), text(dtype));
      }
    }
    choose(dtypes_, kept);
    dtypes_->setEnabled(dtypes_->count() > 0);
  }
  Q_EMIT changed();
}

void PickersBar::fillImplementations() {
  for (QCheckBox* box : implementations_) delete box;
  implementations_.clear();
  if (const auto* chosen = op()) {
    const std::string kind = deviceKind().toStdString();
    for (const auto& implementation : chosen->implementations) {
      const auto& kinds = implementation.deviceKinds;
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) continue;
      auto* box = new QCheckBox;
      box->setProperty("implementation", text(implementation.name));
      box->setToolTip(text(implementation.doc));
      // The first five have colours that are told apart at a glance; more is a choice.
      box->setChecked(implementations_.size() < 5);
      connect(box, &QCheckBox::toggled, this, [this] {
        nameImplementations();
        Q_EMIT changed();
      });
      implementations_.push_back(box);
    }
  }
  nameImplementations();
  placeImplementations();
  Q_EMIT changed();
}

void PickersBar::nameImplementations() {
  std::size_t letter = 0;
  for (QCheckBox* box : implementations_) {
    const QString name = box->property("implementation").toString();
    box->setText(box->isChecked() ? letterOf(letter) + QLatin1Char(' ') + name : name);
    box->setIcon(box->isChecked() ? swatch(implementationColour(letter)) : QIcon());
    if (box->isChecked()) ++letter;
  }
  popupButton_->setText(tr("%1 of %2 implementations").arg(letter).arg(implementations_.size()));
}

void PickersBar::placeImplementations() {
  int needed = 0;
  for (const QCheckBox* box : implementations_) needed += box->sizeHint().width() + rowLayout_->spacing();
  const int room = row_->width() + (popupButton_->isHidden() ? 0 : popupButton_->width());
  const bool fits = needed <= room || !isVisible();
  while (QLayoutItem* rest = rowLayout_->takeAt(0)) delete rest;
  for (QCheckBox* box : implementations_) {
    if (fits) {
      rowLayout_->addWidget(box);
    } else {
      popupLayout_->addWidget(box);
    }
    box->show();
  }
  rowLayout_->addStretch(1);
  popupButton_->setVisible(!fits);
  if (fits) popup_->hide();
}

void PickersBar::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layout()->activate();
  placeImplementations();
}

Job PickersBar::job() const {
  Job job;
  job.controls.automatic = true;  // gaps are what the window is there to explain
  job.op = ops_->currentData().toString().toStdString();
  job.workload = workloads_->currentData().toString().toStdString();
  job.dtype = dtypes_->currentData().toString().toStdString();
  job.device = deviceBox_->currentData().toString().toStdString();
  for (const QCheckBox* box : implementations_) {
    if (box->isChecked())
      job.implementations.push_back(box->property("implementation").toString().toStdString());
  }
  return job;
}

void PickersBar::pickOp(const QString& name) {
  choose(ops_, name);
}
void PickersBar::pickWorkload(const QString& label) {
  choose(workloads_, label);
}
void PickersBar::pickDtype(const QString& dtype) {
  choose(dtypes_, dtype);
}
void PickersBar::pickDevice(const QString& id) {
  choose(deviceBox_, id);
}

void PickersBar::pickImplementations(const QStringList& names) {
  for (QCheckBox* box : implementations_)
    box->setChecked(names.contains(box->property("implementation").toString()));
}

void PickersBar::saveTo(QSettings& settings) const {
  if (!op()) return;
  QStringList names;
  for (const std::string& name : job().implementations) names << text(name);
  settings.setValue(QStringLiteral("pick/op"), ops_->currentData());
  settings.setValue(QStringLiteral("pick/workload"), workloads_->currentData());
  settings.setValue(QStringLiteral("pick/dtype"), dtypes_->currentData());
  settings.setValue(QStringLiteral("pick/device"), deviceBox_->currentData());
  settings.setValue(QStringLiteral("pick/implementations"), names);
}

void PickersBar::restoreFrom(const QSettings& settings) {
  if (!settings.contains(QStringLiteral("pick/op"))) return;
  pickDevice(settings.value(QStringLiteral("pick/device")).toString());
  const QString wanted = settings.value(QStringLiteral("pick/op")).toString();
  pickOp(wanted);
  if (ops_->currentData().toString() != wanted) return;
  pickWorkload(settings.value(QStringLiteral("pick/workload")).toString());
  pickDtype(settings.value(QStringLiteral("pick/dtype")).toString());
  const QStringList names = settings.value(QStringLiteral("pick/implementations")).toStringList();
  const bool known = std::any_of(implementations_.begin(), implementations_.end(), [&](const QCheckBox* box) {
    return names.contains(box->property("implementation").toString());
  });
  if (known) pickImplementations(names);
}

}  // namespace opscope::ui
