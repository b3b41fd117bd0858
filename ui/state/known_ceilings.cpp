// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/known_ceilings.h"

#include "findings/findings.h"
#include "session/device_record.h"

namespace opscope::ui {

std::shared_ptr<const Run> withCeilings(const std::shared_ptr<const Run>& run, const CeilingRecords& known) {
  const auto found = known.find(deviceKey(*run));
  if (found == known.end()) return nullptr;
  Ceilings ceilings = ceilingsFor(found->second, *run);
  if (!ceilings.hold() || run->ceilings == ceilings) return nullptr;
  auto next = std::make_shared<Run>(*run);  // its passes are shared
  next->ceilings = std::move(ceilings);
  next->environment.erase(kCeilingsProblem);
  next->findings = findIn(*next);
  return next;
}

}  // namespace opscope::ui
