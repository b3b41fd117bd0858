// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/methods.h"

#include "session/control_tables.h"
#include "state/text.h"

namespace opscope::ui {

std::vector<MethodRow> methodsOf(const Run& run) {
  std::vector<MethodRow> rows;
  for (std::uint32_t i = 0; i < run.implementations.size(); ++i) {
    const std::vector<MethodReading>& readings = run.implementations[i].methods;
    // The records come first, busy before latency (timing/methods.h).
    const double number = readings.empty() || readings[0].failure ? 0 : readings[0].perCall.median;
    for (std::size_t m = 0; m < readings.size(); ++m) {
      MethodRow row{i, readings[m], m == 0, {}};
      if (!row.reading.failure && number > 0) row.times = row.reading.perCall.median / number;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

QStringList tracingWords(const Run& run) {
  QStringList words;
  for (const ImplementationResult& result : run.implementations)
    if (const std::string sentence = tracingCostSentence(result); !sentence.empty()) words << text(sentence);
  return words;
}

}  // namespace opscope::ui
