// SPDX-License-Identifier: GPL-3.0-or-later
#include "state/table_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace opscope::ui {
namespace {

/// Whether the texts of some keys contain the filter. A key that meets another in its place takes it: what
/// was forgotten is asked again, and no look-up ever costs more than its one place.
class Remembered {
 public:
  explicit Remembered(std::size_t rows)
      : places_(std::bit_ceil(std::clamp<std::size_t>(2 * rows, 16, kMost))) {}

  template <class Ask>
  bool fits(std::uint64_t key, Ask ask) {
    // Fibonacci hashing: the high bits of the product depend on all of the key.
    Place& place = places_[(key * 0x9e3779b97f4a7c15ULL) >> (64 - std::countr_zero(places_.size()))];
    if (place.state == State::Empty || place.key != key) place = {key, ask() ? State::Fits : State::DoesNot};
    return place.state == State::Fits;
  }

 private:
  static constexpr std::size_t kMost = 1 << 16;  // 1 MB: stays in the cache of a core
  enum class State : std::uint8_t { Empty, Fits, DoesNot };
  struct Place {
    std::uint64_t key = 0;
    State state = State::Empty;
  };
  std::vector<Place> places_;
};

bool mayStandInDigits(const QString& filter) {
  return std::all_of(filter.begin(), filter.end(), [](QChar c) {
    return c.isDigit() || c == QLatin1Char('.') || c == QLatin1Char('-') || c == QLatin1Char('+') ||
           c == QLatin1Char('e');
  });
}

/// Marks the rows whose cell in this column contains the filter.
void mark(std::vector<char>& fits, const TableColumn& column, const QString& filter) {
  const auto asked = [&](std::size_t row) { return column.text(row).contains(filter, Qt::CaseInsensitive); };
  if (!column.key && !column.number) {
    for (std::size_t row = 0; row < fits.size(); ++row)
      if (!fits[row]) fits[row] = asked(row);
    return;
  }
  const auto keyOf = [&column](std::size_t row) -> std::uint64_t {
    if (column.key) return column.key(row);
    const double number = column.number(row);
    return column.numberKey ? column.numberKey(number) : std::bit_cast<std::uint64_t>(number);
  };
  Remembered remembered(fits.size());
  for (std::size_t row = 0; row < fits.size(); ++row)
    if (!fits[row]) fits[row] = remembered.fits(keyOf(row), [&] { return asked(row); });
}

std::vector<std::uint32_t> rowsThatFit(std::size_t rows, const std::vector<TableColumn>& columns,
                                       const QString& filter) {
  std::vector<std::uint32_t> shown(rows);
  std::iota(shown.begin(), shown.end(), 0U);
  if (filter.isEmpty()) return shown;
  std::vector<char> fits(rows, 0);
  const bool number = mayStandInDigits(filter);
  for (const TableColumn& column : columns)
    if (column.searched && (number || !column.digits)) mark(fits, column, filter);
  std::erase_if(shown, [&](std::uint32_t row) { return !fits[row]; });
  return shown;
}

/// A number for each row of `shown`, in the order of its text.
std::vector<double> ranksOfTexts(const std::vector<std::uint32_t>& shown, const TableColumn& column) {
  // Which of the different texts each row has.
  std::vector<QString> texts;
  std::vector<std::uint32_t> which(shown.size());
  if (column.key) {
    std::unordered_map<std::uint32_t, std::uint32_t> places;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const auto [found, isNew] =
          places.try_emplace(column.key(shown[i]), static_cast<std::uint32_t>(texts.size()));
      if (isNew) texts.push_back(column.text(shown[i]));
      which[i] = found->second;
    }
  } else {
    for (std::size_t i = 0; i < shown.size(); ++i) {
      texts.push_back(column.text(shown[i]));
      which[i] = static_cast<std::uint32_t>(i);
    }
  }
  std::vector<std::uint32_t> order(texts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return QString::compare(texts[a], texts[b], Qt::CaseInsensitive) < 0;
  });
  std::vector<double> rankOf(texts.size());
  double rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    // Equal texts have one rank, so that their rows stay as they were.
    if (i > 0 && QString::compare(texts[order[i - 1]], texts[order[i]], Qt::CaseInsensitive) != 0) ++rank;
    rankOf[order[i]] = rank;
  }
  std::vector<double> ranks(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) ranks[i] = rankOf[which[i]];
  return ranks;
}

void sortRows(std::vector<std::uint32_t>& shown, const TableColumn& column, bool descending) {
  struct Keyed {
    double key;
    std::uint32_t row;
  };
  std::vector<Keyed> keyed(shown.size());
  if (column.number) {
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const double key = column.number(shown[i]);
      // No order holds with a NaN in it.
      keyed[i] = {std::isnan(key) ? -HUGE_VAL : key, shown[i]};
    }
  } else {
    const std::vector<double> ranks = ranksOfTexts(shown, column);
    for (std::size_t i = 0; i < shown.size(); ++i) keyed[i] = {ranks[i], shown[i]};
  }
  // Rows are ascending before: comparing them makes an unstable sort stable, and quicker than a stable one.
  if (descending) {
    std::sort(keyed.begin(), keyed.end(),
              [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key > b.key : a.row < b.row; });
  } else {
    std::sort(keyed.begin(), keyed.end(),
              [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.row < b.row; });
  }
  for (std::size_t i = 0; i < shown.size(); ++i) shown[i] = keyed[i].row;
}

}  // namespace

std::vector<std::uint32_t> arrangeRows(std::size_t rows, const std::vector<TableColumn>& columns,
                                       const TableQuery& query) {
  std::vector<std::uint32_t> shown = rowsThatFit(rows, columns, query.filter);
  if (query.sortColumn >= 0 && static_cast<std::size_t>(query.sortColumn) < columns.size())
    sortRows(shown, columns[static_cast<std::size_t>(query.sortColumn)], query.descending);
  return shown;
}

}  // namespace opscope::ui
