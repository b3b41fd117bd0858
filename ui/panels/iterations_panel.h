// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panels/table_panel.h"

namespace opscope::ui {

/// Every iteration of the run with its sample; those of an implementation that failed have none and are left
/// out.
class IterationsPanel : public TablePanel {
  Q_OBJECT
 public:
  explicit IterationsPanel(Selection& selection, QWidget* parent = nullptr);

 protected:
  void fill(const Selected& now, const Selected& before) override;
  std::optional<std::size_t> rowOf(const Selected& now) const override;
  void choose(std::size_t row) override;

 private:
  std::vector<IterationRef> rows_;
};

}  // namespace opscope::ui
