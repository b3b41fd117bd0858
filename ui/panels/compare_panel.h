// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panels/table_panel.h"
#include "state/comparison.h"
#include "state/session_model.h"

namespace opscope::ui {

/// The implementations of the selected run beside each other and beside the baseline.
class ComparePanel : public TablePanel {
  Q_OBJECT
 public:
  ComparePanel(SessionModel& session, Selection& selection, QWidget* parent = nullptr);

 protected:
  void fill(const Selected& now, const Selected& before) override;
  std::optional<std::size_t> rowOf(const Selected& now) const override;
  void choose(std::size_t row) override;

 private:
  SessionModel& session_;
  std::vector<ComparisonRow> rows_;
};

}  // namespace opscope::ui
