// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <vector>

#include "engine/engine.h"

class QCheckBox;
class QComboBox;
class QHBoxLayout;
class QSettings;
class QToolButton;
class QVBoxLayout;

namespace opscope::ui {

/// What to measure: op, workload, dtype, implementations, device.
class PickersBar : public QWidget {
  Q_OBJECT
 public:
  explicit PickersBar(QWidget* parent = nullptr);

  /// Until this is called nothing can be picked.
  void setCatalogue(CatalogueInfo catalogue, std::vector<DeviceInfo> devices);
  /// The same ops as they are now; what is picked stays picked where it still exists.
  void updateCatalogue(CatalogueInfo catalogue);
  const CatalogueInfo& catalogue() const { return catalogue_; }
  bool isReady() const;
  /// The one that is picked; null without any.
  const DeviceInfo* device() const;
  /// What is picked, with the method's defaults.
  Job job() const;
  void pickOp(const QString& name);
  void pickWorkload(const QString& label);
  void pickDtype(const QString& dtype);
  void pickDevice(const QString& id);
  void pickImplementations(const QStringList& names);

  void saveTo(QSettings& settings) const;
  /// To be called after setCatalogue(); what no longer exists is ignored.
  void restoreFrom(const QSettings& settings);

 Q_SIGNALS:
  void changed();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fillOps();
  const CatalogueInfo::Op* op() const;
  QString deviceKind() const;
  void fillOp();
  void fillDtypes();
  void fillImplementations();
  void nameImplementations();
  /// Where the check boxes do not fit beside the pickers they move into a pop-up.
  void placeImplementations();

  CatalogueInfo catalogue_;
  std::vector<DeviceInfo> devices_;
  QComboBox* ops_;
  QComboBox* workloads_;
  QComboBox* dtypes_;
  QComboBox* deviceBox_;
  QWidget* row_;
  QHBoxLayout* rowLayout_;
  QWidget* popup_;
  QVBoxLayout* popupLayout_;
  QToolButton* popupButton_;
  std::vector<QCheckBox*> implementations_;
};

}  // namespace opscope::ui
