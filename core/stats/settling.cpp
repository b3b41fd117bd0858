// SPDX-License-Identifier: Apache-2.0
#include "stats/settling.h"

#include <algorithm>

namespace opscope {
namespace {

constexpr std::size_t kRounds = 3;     // two agree by chance, and a slow ramp passes two at a time
constexpr double kFlatMedian = 0.005;  // half of what a verdict needs
constexpr double kFlatClock = 0.01;    // the clock moves in steps of 15 MHz, 0.75 % of 2 GHz

bool flatClock(std::span<const SettlingRound> rounds) {
  int low = 0;
  int high = 0;
  for (const SettlingRound& round : rounds) {
    if (!round.smClockMhz) return true;
    low = low == 0 ? *round.smClockMhz : std::min(low, *round.smClockMhz);
    high = std::max(high, *round.smClockMhz);
  }
  return high - low <= kFlatClock * high;
}

bool flatMedian(std::span<const SettlingRound> rounds, std::size_t implementation) {
  double low = 0;
  double high = 0;
  double iqr = 0;
  for (const SettlingRound& round : rounds) {
    const Summary& times = round.times.at(implementation);
    low = &round == &rounds.front() ? times.median : std::min(low, times.median);
    high = std::max(high, times.median);
    iqr = std::max(iqr, times.iqr);
  }
  return high - low <= std::max(kFlatMedian * low, iqr);
}

}  // namespace

bool isFlat(std::span<const SettlingRound> rounds) {
  if (rounds.size() < kRounds) return false;
  const auto last = rounds.last(kRounds);
  if (!flatClock(last)) return false;
  for (std::size_t i = 0; i < last.front().times.size(); ++i)
    if (!flatMedian(last, i)) return false;
  return true;
}

}  // namespace opscope
