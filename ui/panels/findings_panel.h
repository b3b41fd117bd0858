// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListWidget>

#include "plots/when_seen.h"
#include "state/selection.h"

namespace opscope::ui {

/// What the rules say of a run, each sentence with its evidence: choosing one selects it.
class FindingsPanel : public QListWidget {
  Q_OBJECT
 public:
  explicit FindingsPanel(Selection& selection, QWidget* parent = nullptr);

 private:
  void fill();
  void choose(int row);

  Selection& selection_;
  std::shared_ptr<const Run> run_;
  WhenSeen seen_;
};

}  // namespace opscope::ui
