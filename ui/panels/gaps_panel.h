// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panels/table_panel.h"

namespace opscope::ui {

/// Gaps of the selected iteration with their parts and the cause.
class GapsPanel : public TablePanel {
  Q_OBJECT
 public:
  explicit GapsPanel(Selection& selection, QWidget* parent = nullptr);

 protected:
  void fill(const Selected& now, const Selected& before) override;
  std::optional<std::size_t> rowOf(const Selected& now) const override;
  void choose(std::size_t row) override;

 private:
  std::uint32_t from_ = 0;
  std::uint32_t to_ = 0;
};

}  // namespace opscope::ui
