// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panels/table_panel.h"
#include "state/kernel_groups.h"
#include "state/newest.h"

namespace opscope::ui {

/// Kernels of the selected implementation by name and launch shape.
class KernelsPanel : public TablePanel {
  Q_OBJECT
 public:
  explicit KernelsPanel(Selection& selection, QWidget* parent = nullptr);

 protected:
  void fill(const Selected& now, const Selected& before) override;
  std::optional<std::size_t> rowOf(const Selected& now) const override;
  void choose(std::size_t row) override;

 private:
  void show(const std::shared_ptr<const Run>& run, std::vector<KernelGroup> groups);

  std::shared_ptr<const std::vector<KernelGroup>> groups_;
  Newest grouping_;
};

}  // namespace opscope::ui
