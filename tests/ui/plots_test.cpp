// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <ctime>
#include <random>

#include "plots/interval_plottable.h"
#include "plots/time_ticker.h"
#include "state/colours.h"

using namespace opscope;
using namespace opscope::ui;

namespace {

/// A plot of nothing but intervals: x in ns from 0 to `end`, rows of height 20 from the top.
struct Canvas {
  explicit Canvas(double end, int width = 600, int height = 80) {
    plot.setAttribute(Qt::WA_DontShowOnScreen);
    plot.resize(width, height);
    plot.axisRect()->setAutoMargins(QCP::msNone);
    plot.axisRect()->setMargins(QMargins(0, 0, 0, 0));
    for (QCPAxis* axis : plot.axisRect()->axes()) {
      axis->setVisible(false);
      axis->grid()->setVisible(false);
    }
    plot.setBackground(Qt::white);
    plot.yAxis->setRangeReversed(true);
    plot.yAxis->setRange(0, height);
    plot.xAxis->setRange(0, end);
    bars = new IntervalPlottable(plot.xAxis, plot.yAxis);
    bars->setColours(Qt::white, Qt::white, Qt::white);
    plot.show();
  }
  QImage draw() {
    plot.replot(QCustomPlot::rpImmediateRefresh);
    return plot.toPixmap(plot.width(), plot.height()).toImage();
  }
  QCustomPlot plot;
  IntervalPlottable* bars;
};

BarRow row(double top, std::vector<LaneItem> bars) {
  BarRow made;
  made.top = top;
  made.height = 20;
  made.looks.assign(bars.size(), 0);
  made.bars = std::move(bars);
  made.dense = Qt::red;
  return made;
}

int colouredColumns(const QImage& image, int y) {
  int count = 0;
  for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, y) != QColor(Qt::white);
  return count;
}

double cpuMilliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace

TEST_CASE("an interval is drawn where it is") {
  Canvas canvas(600);
  canvas.bars->setRows({row(0, {{100, 200, 0}, {300, 450, 1}})}, {{Qt::blue, Qt::SolidPattern, {}, false}});
  const QImage image = canvas.draw();
  CHECK(image.pixelColor(150, 10) == QColor(Qt::blue));
  CHECK(image.pixelColor(375, 10) == QColor(Qt::blue));
  CHECK(image.pixelColor(98, 10) == QColor(Qt::white));
  CHECK(image.pixelColor(250, 10) == QColor(Qt::white));
  CHECK(image.pixelColor(452, 10) == QColor(Qt::white));
  CHECK(image.pixelColor(150, 40) == QColor(Qt::white));
  CHECK(canvas.bars->exactRows() == 1);
}

TEST_CASE("a kernel of 1 ns in a view of 1 s is still a pixel") {
  Canvas canvas(static_cast<double>(kSecond));
  canvas.bars->setRows({row(0, {{kSecond / 2, kSecond / 2 + 1, 0}})},
                       {{Qt::blue, Qt::SolidPattern, {}, false}});
  CHECK(colouredColumns(canvas.draw(), 10) >= 1);
}

TEST_CASE("a kernel of 1 ns among a million is still a column") {
  // Dense on the left; one of 1 ns alone on the right half.
  std::vector<LaneItem> bars;
  for (std::uint32_t i = 0; i < 1'000'000; ++i) bars.push_back({Ns{i} * 400, Ns{i} * 400 + 200, i});
  bars.push_back({700'000'000, 700'000'001, 1'000'000});
  Canvas canvas(800'000'000);
  canvas.bars->setRows({row(0, std::move(bars))}, {{Qt::blue, Qt::SolidPattern, {}, false}});
  const QImage image = canvas.draw();
  CHECK(canvas.bars->exactRows() == 0);
  const int alone = 525;  // 700 of 800 ms, on 600 px
  bool seen = false;
  for (int x = alone - 2; x <= alone + 2; ++x) seen = seen || image.pixelColor(x, 10) != QColor(Qt::white);
  CHECK(seen);
  CHECK(image.pixelColor(450, 10) == QColor(Qt::white));
}

TEST_CASE("a dense row shows the busy fraction of each column") {
  std::vector<LaneItem> bars;
  for (std::uint32_t i = 0; i < 100'000; ++i) bars.push_back({Ns{i} * 100, Ns{i} * 100 + 50, i});
  Canvas canvas(10'000'000);
  canvas.bars->setRows({row(0, std::move(bars))}, {{Qt::blue, Qt::SolidPattern, {}, false}});
  const QImage image = canvas.draw();
  for (int x = 5; x < 595; ++x) {
    const QColor seen = image.pixelColor(x, 10);
    // Half way from white to red.
    CHECK(seen.red() == 255);
    CHECK(std::abs(seen.green() - 127) <= 4);
  }
}

TEST_CASE("columns of thousands of uneven bars show their share, the first bar and the gaps, too") {
  std::mt19937_64 random(11);
  // A long first bar, then stretches of 2000 short ones with a share of their own each, and gaps.
  std::vector<LaneItem> bars{{0, 2'000'000, 0}};
  Ns time = 2'000'000;
  for (std::uint32_t i = 1; i < 200'000; ++i) {
    if (i % 2'000 == 1) time += 300'000;
    const Ns pause = 10 + i / 2'000 * 3;
    time += static_cast<Ns>(random() % static_cast<std::uint64_t>(pause));
    const Ns length = 1 + static_cast<Ns>(random() % 100);
    bars.push_back({time, time + length, i});
    time += length;
  }
  Canvas canvas(static_cast<double>(time));
  const auto coveredUntil = [&bars](double at) {
    double sum = 0;
    for (const LaneItem& bar : bars)
      sum += std::clamp(at - static_cast<double>(bar.start), 0.0, static_cast<double>(bar.end - bar.start));
    return sum;
  };
  std::vector<double> until;
  for (int x = 0; x <= 600; ++x) until.push_back(coveredUntil(static_cast<double>(time) * x / 600));
  canvas.bars->setRows({row(0, bars)}, {{Qt::blue, Qt::SolidPattern, {}, false}});
  const QImage image = canvas.draw();
  REQUIRE(canvas.bars->exactRows() == 0);
  const double column = static_cast<double>(time) / 600;
  double difference = 0;
  for (int x = 0; x < 600; ++x) {
    const auto at = static_cast<std::size_t>(x);
    const double share = (until[at + 1] - until[at]) / column;
    const double seen = (255 - image.pixelColor(x, 10).green()) / 255.0;
    INFO("column " << x << ": " << seen << " of " << share);
    if (share == 0) {
      CHECK(seen == 0);
    } else if (share > 0.2) {  // a smaller one is drawn no fainter than that anything is seen
      CHECK(std::abs(seen - share) < 0.07);
      difference += seen - share;
    }
  }
  CHECK(std::abs(difference / 600) < 0.002);
}

TEST_CASE("where a bar may end after an instant is narrowed down, and never wrongly") {
  std::mt19937_64 random(5);
  for (const std::size_t count : {0U, 1U, 7U, 8U, 100U, 20'000U}) {
    // Runs of short bars and gaps of a million: as uneven as a pass is.
    BarRow one;
    Ns time = static_cast<Ns>(random() % 1'000) - 500;
    for (std::uint32_t i = 0; i < count; ++i) {
      time += random() % 100 == 0 ? 1'000'000 : static_cast<Ns>(random() % 20);
      const Ns length = 1 + static_cast<Ns>(random() % 30);
      one.bars.push_back({time, time + length, i});
      time += length;
    }
    one.looks.assign(count, 0);
    one.sum({{Qt::blue, Qt::SolidPattern, {}, false}});
    const auto check = [&](double at) {
      const auto [low, high] = one.mayEndAfter(at);
      const auto first =
          std::lower_bound(one.bars.begin(), one.bars.end(), at,
                           [](const LaneItem& bar, double t) { return static_cast<double>(bar.end) < t; });
      const auto place = static_cast<std::size_t>(first - one.bars.begin());
      if (place < low || place > high || high > one.bars.size())
        FAIL("of " << count << " bars at " << at << ": " << place << " is not in " << low << " to " << high);
    };
    for (int i = 0; i < 5'000; ++i)
      check(static_cast<double>(random() % static_cast<std::uint64_t>(time + 2'000)) - 1'000);
    for (const LaneItem& bar : one.bars) {
      check(static_cast<double>(bar.end));
      check(static_cast<double>(bar.end) + 0.5);
    }
    CHECK(one.buckets.size() <= count);
  }
}

TEST_CASE("zoomed in, a dense row becomes exact again") {
  std::vector<LaneItem> bars;
  for (std::uint32_t i = 0; i < 1'000'000; ++i) bars.push_back({Ns{i} * 100, Ns{i} * 100 + 50, i});
  Canvas canvas(600);
  canvas.bars->setRows({row(0, std::move(bars))}, {{Qt::blue, Qt::SolidPattern, {}, false}});
  canvas.plot.xAxis->setRange(50'000'000, 50'000'600);
  const QImage image = canvas.draw();
  CHECK(canvas.bars->exactRows() == 1);
  CHECK(image.pixelColor(25, 10) == QColor(Qt::blue));
  CHECK(image.pixelColor(75, 10) == QColor(Qt::white));
  CHECK(image.pixelColor(125, 10) == QColor(Qt::blue));
}

TEST_CASE("overlapping intervals in sub-lanes are both visible") {
  Canvas canvas(600);
  canvas.bars->setRows({row(0, {{100, 300, 0}}), row(20, {{200, 400, 1}})},
                       {{Qt::blue, Qt::SolidPattern, {}, false}});
  const QImage image = canvas.draw();
  CHECK(image.pixelColor(250, 10) == QColor(Qt::blue));
  CHECK(image.pixelColor(250, 30) == QColor(Qt::blue));
  CHECK(image.pixelColor(150, 30) == QColor(Qt::white));
}

TEST_CASE("a hatch leaves part of the ground and says so beside colour") {
  Canvas canvas(600);
  canvas.bars->setRows({row(0, {{100, 500, 0}})}, {{Qt::blue, Qt::BDiagPattern, {}, false}});
  const QImage image = canvas.draw();
  int full = 0;
  int ground = 0;
  for (int x = 110; x < 490; ++x) (image.pixelColor(x, 10) == QColor(Qt::blue) ? full : ground)++;
  CHECK(full > 10);
  CHECK(ground > 10);
}

TEST_CASE("a label is drawn where it fits and nowhere else") {
  const auto darkPixels = [](double length) {
    Canvas canvas(600);
    canvas.bars->setRows({row(0, {{100, 100 + static_cast<Ns>(length), 0}})},
                         {{QColor(250, 250, 120), Qt::SolidPattern, QStringLiteral("rms_norm"), false}});
    const QImage image = canvas.draw();
    int dark = 0;
    for (int x = 102; x < 98 + static_cast<int>(length); ++x) {
      for (int y = 4; y < 16; ++y) dark += image.pixelColor(x, y).lightness() < 80;
    }
    return dark;
  };
  CHECK(darkPixels(300) > 20);
  CHECK(darkPixels(10) == 0);
}

TEST_CASE("a million intervals in sixteen rows are drawn within the budget of one event") {
  std::mt19937_64 random(1);
  std::vector<BarRow> rows;
  Ns longest = 0;
  for (int r = 0; r < 16; ++r) {
    std::vector<LaneItem> bars;
    Ns at = 0;
    for (std::uint32_t i = 0; i < 62'500; ++i) {
      const Ns length = 200 + static_cast<Ns>(random() % 5'000);
      bars.push_back({at, at + length, i});
      at += length + static_cast<Ns>(random() % 3'000);
    }
    longest = std::max(longest, at);
    rows.push_back(row(20.0 * r, std::move(bars)));
  }
  Canvas canvas(static_cast<double>(longest), 1'600, 330);
  canvas.bars->setRows(std::move(rows), {{Qt::blue, Qt::SolidPattern, {}, false}});
  canvas.draw();
  const double before = cpuMilliseconds();
  canvas.plot.replot(QCustomPlot::rpImmediateRefresh);
  const double took = cpuMilliseconds() - before;
  CAPTURE(took);
  CHECK(took < 50);
}

TEST_CASE("ticks are labelled in the view's unit with the decimals their step needs") {
  QCustomPlot plot;
  plot.setAttribute(Qt::WA_DontShowOnScreen);
  const QSharedPointer<TimeTicker> ticker(new TimeTicker);
  plot.xAxis->setTicker(ticker);
  plot.resize(600, 200);
  plot.show();
  const auto labels = [&](double from, double to) {
    plot.xAxis->setRange(from, to);
    plot.replot(QCustomPlot::rpImmediateRefresh);
    return plot.xAxis->tickVectorLabels();
  };
  CHECK(labels(0, 50'000).contains(QStringLiteral("10")));
  CHECK(labels(0, 5'000).contains(QStringLiteral("2")));
  CHECK(labels(12'000, 12'010).contains(QStringLiteral("12.004")));
  CHECK_FALSE(labels(-1'000, 1'000).contains(QStringLiteral("-0")));
  ticker->setUnit(TimeUnit::Nanoseconds);
  const auto exact = labels(0, 8);
  for (const QString& label : exact) CHECK_FALSE(label.contains(QLatin1Char('.')));
}
