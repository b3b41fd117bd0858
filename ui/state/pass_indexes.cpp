// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/pass_indexes.h"

#include <utility>

namespace opscope::ui {

std::shared_ptr<const PassIndex> PassIndexes::kept(const Pass& pass) const {
  for (const auto& index : kept_) {
    if (&index->pass() == &pass) return index;
  }
  return nullptr;
}

void PassIndexes::put(std::shared_ptr<const PassIndex> index) {
  if (kept(index->pass())) return;
  kept_.push_back(std::move(index));
  if (kept_.size() > kKept) kept_.pop_front();
}

std::shared_ptr<const PassIndex> PassIndexes::of(const std::shared_ptr<const Pass>& pass) {
  if (auto known = kept(*pass)) return known;
  if (fitsAtOnce(recordsOf(*pass))) {
    put(std::make_shared<const PassIndex>(pass));
    return kept_.back();
  }
  if (wanted_ == pass) return nullptr;
  wanted_ = pass;
  newest_.request([this, pass]() -> std::function<void()> {
    auto index = std::make_shared<const PassIndex>(pass);
    return [this, index = std::move(index)] {
      wanted_.reset();
      put(index);
      Q_EMIT ready();
    };
  });
  return nullptr;
}

}  // namespace opscope::ui
