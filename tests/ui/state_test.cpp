// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "state/colours.h"
#include "state/focus.h"
#include "state/inspection.h"
#include "state/selection.h"
#include "state/session_model.h"
#include "state/text.h"
#include "state/time_transform.h"
#include "state/view_history.h"
#include "ui/synthetic_run.h"

using namespace opscope;
using namespace opscope::ui;
using Catch::Approx;

TEST_CASE("a long name is its beginning and its end, and a word without spaces is folded into lines") {
  CHECK(shortName(QStringLiteral("void k()")) == QStringLiteral("void k()"));
  CHECK(shortName(QString(300, QLatin1Char('k'))).size() == 300);
  const QString name = QStringLiteral("begin") + QString(4'000, QLatin1Char('k')) + QStringLiteral("end");
  CHECK(shortName(name) == QStringLiteral("begin") + QString(195, QLatin1Char('k')) + QStringLiteral(" … ") +
                               QString(57, QLatin1Char('k')) + QStringLiteral("end"));
  CHECK(shortName(QStringLiteral("abcdefghijkl"), 10) == QStringLiteral("abcdef … kl"));

  CHECK(folded({}).isEmpty());
  CHECK(folded(QStringLiteral("two words")) == QStringLiteral("two words"));
  CHECK(folded(QString(100, QLatin1Char('k'))) == QString(100, QLatin1Char('k')));
  CHECK(folded(QString(201, QLatin1Char('k'))) == QString(100, QLatin1Char('k')) + QLatin1Char('\n') +
                                                      QString(100, QLatin1Char('k')) + QStringLiteral("\nk"));
  // A pair of surrogates is one character: 100 and half of one, and the rest.
  const QString clef = QString(100, QLatin1Char('k')) + QString::fromUcs4(U"\U0001D11E");
  CHECK(folded(clef) ==
        QString(100, QLatin1Char('k')) + QLatin1Char('\n') + QString::fromUcs4(U"\U0001D11E"));
}

TEST_CASE("pixels and times map onto each other") {
  TimeTransform transform;
  transform.setPixels(100, 800);
  transform.setBounds({-1'000, 9'000});
  transform.show(0, 8'000);
  CHECK(transform.xOf(0) == Approx(100));
  CHECK(transform.xOf(8'000) == Approx(900));
  CHECK(transform.nsAt(500) == Approx(4'000));
  CHECK(transform.timeAt(100.04) == 0);
  CHECK(transform.nsPerPixel() == Approx(10));
}

TEST_CASE("zooming keeps the time under the cursor") {
  TimeTransform transform;
  transform.setPixels(50, 1'000);
  transform.setBounds({0, 1'000'000});
  transform.show(200'000, 700'000);
  const double under = transform.nsAt(333);
  for (int i = 0; i < 12; ++i) transform.zoomAt(333, 0.8);
  CHECK(transform.nsAt(333) == Approx(under).epsilon(1e-12));
  CHECK(transform.span() == Approx(500'000 * std::pow(0.8, 12)));
  for (int i = 0; i < 12; ++i) transform.zoomAt(333, 1.25);
  CHECK(transform.start() == Approx(200'000));
}

TEST_CASE("the view never leaves its bounds nor shows less than it may") {
  TimeTransform transform;
  transform.setPixels(0, 100);
  transform.setBounds({0, 1'000});
  transform.show(0, 1'000);
  transform.zoomAt(50, 10);
  CHECK(transform.start() == 0);
  CHECK(transform.end() == 1'000);
  transform.show(900, 1'000);
  transform.panPixels(5'000);
  CHECK(transform.end() == Approx(1'000));
  for (int i = 0; i < 100; ++i) transform.zoomAt(70, 0.5);
  CHECK(transform.span() == TimeTransform::kSmallestSpan);
  transform.show(500, 500);
  CHECK(transform.span() == TimeTransform::kSmallestSpan);
  CHECK(transform.start() == Approx(496));
  transform.setBounds({10, 10});
  CHECK(transform.start() == 10);
}

TEST_CASE("a view's times stay exact at epoch-sized instants, because they are relative") {
  TimeTransform transform;
  transform.setPixels(0, 1'000);
  transform.setBounds({0, 60 * kSecond});
  transform.show(59.0 * kSecond, 59.0 * kSecond + 1'000);
  CHECK(transform.timeAt(500) == 59 * kSecond + 500);
  CHECK(transform.timeAt(501) == 59 * kSecond + 501);
}

TEST_CASE("view history goes back and forward") {
  ViewHistory history;
  CHECK_FALSE(history.canGoBack());
  history.record({0, 0, 0, 100});
  history.record({0, 0, 10, 50});
  history.record({0, 0, 11, 40}, true);  // the same spin of the wheel
  history.record({0, 0, 12, 30}, true);
  REQUIRE(history.canGoBack());
  CHECK(history.back() == View{0, 0, 0, 100});
  CHECK_FALSE(history.canGoBack());
  REQUIRE(history.canGoForward());
  CHECK(history.forward() == View{0, 0, 12, 30});
  CHECK_FALSE(history.canGoForward());
  CHECK(history.back() == View{0, 0, 0, 100});
  history.record({0, 1, 0, 100});  // a new branch drops what lay ahead
  CHECK_FALSE(history.canGoForward());
}

TEST_CASE("view history is bounded and ignores what is no change") {
  ViewHistory history;
  history.record({0, 0, 0, 100});
  history.record({0, 0, 0, 100});
  CHECK_FALSE(history.canGoBack());
  for (int i = 0; i < 1'000; ++i) history.record({0, i, 0, 100});
  std::size_t steps = 0;
  for (; history.canGoBack(); ++steps) history.back();
  CHECK(steps == ViewHistory::kLongest - 1);
}

TEST_CASE("one signal per change of the selection, none without one") {
  Selection selection;
  int heard = 0;
  Selected seenBefore;
  QObject::connect(&selection, &Selection::changed, [&](const Selected&, const Selected& before) {
    ++heard;
    seenBefore = before;
  });
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  selection.selectRun(run);
  CHECK(heard == 1);
  selection.selectRun(run);
  CHECK(heard == 1);
  selection.selectIteration(1, 4);
  CHECK(heard == 2);
  CHECK(seenBefore.pass == -1);
  selection.selectItem({SelectedItem::Kind::Gap, 8});
  selection.selectRange(Interval{5, 9});
  CHECK(heard == 4);
  CHECK(selection.now().item.index == 8);
  selection.selectIteration(1, 5);  // an item of another iteration means nothing here
  CHECK(heard == 5);
  CHECK(selection.now().item.kind == SelectedItem::Kind::None);
  CHECK_FALSE(selection.now().range);
  CHECK(selection.now().implementation() == 1);
}

TEST_CASE("a place that the run does not have cannot be selected") {
  Selection selection;
  selection.selectIteration(0, 0);
  CHECK(selection.now().pass == -1);
  selection.selectRun(uitest::syntheticRun());
  selection.selectIteration(4, 0);
  selection.selectIteration(0, 20);
  selection.selectIteration(-1, 0);
  CHECK(selection.now().pass == -1);
  CHECK(selection.now().implementation() == -1);
}

TEST_CASE("a session knows what no file holds") {
  SessionModel session;
  CHECK_FALSE(session.hasUnsaved());
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  session.addOpened("recorded.opscope", false, {run});
  CHECK_FALSE(session.hasUnsaved());
  CHECK(session.file() == "recorded.opscope");
  session.add(uitest::syntheticRun());
  CHECK(session.hasUnsaved());
  session.markSaved("mine.opscope");
  CHECK_FALSE(session.hasUnsaved());
  session.remove(run);
  CHECK(session.runs().size() == 1);
  CHECK(session.hasUnsaved());

  SessionModel shipped;
  shipped.addOpened("sample.opscope", true, {run});
  CHECK(shipped.file().empty());  // saving must not go over a sample
}

TEST_CASE("a kernel's colour depends on its base name alone") {
  CHECK(kernelBaseName("void ns::inner::rms_norm<float, 8>(float const*, int)") == "rms_norm");
  CHECK(kernelBaseName("rms_norm") == "rms_norm");
  CHECK(kernelBaseName("void (anonymous namespace)::softmax<int>(int*)") == "softmax");
  CHECK(kernelBaseName("sm90_xmma_gemm_bf16bf16_bf16f32") == "sm90_xmma_gemm_bf16bf16_bf16f32");
  CHECK(kernelBaseName("void cutlass::device_kernel<cutlass::gemm::Kernel<int> >(int)") == "device_kernel");
  CHECK(kernelBaseName("") == "");
  CHECK(kernelBaseName("((<<::") == "((<<::");
  CHECK(kernelColour("void k<1>(int)", false) == kernelColour("void k<2>(int)", false));
  CHECK(kernelColour("k", false) != kernelColour("k", true));
  CHECK(kernelColour("square", false) != kernelColour("reduce_mean", false));
}

TEST_CASE("text is readable on every colour that is used") {
  const auto contrast = [](const QColor& a, const QColor& b) {
    const auto linear = [](double c) {
      return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    const auto luminance = [&](const QColor& c) {
      return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
    };
    const double high = std::max(luminance(a), luminance(b));
    const double low = std::min(luminance(a), luminance(b));
    return (high + 0.05) / (low + 0.05);
  };
  for (std::size_t i = 0; i < 7; ++i)
    CHECK(contrast(implementationColour(i), textOn(implementationColour(i))) >= 4.5);
  for (const char* name :
       {"square", "reduce", "scale", "gemm", "softmax", "copy", "add", "x", "norm", "attention"}) {
    for (const bool dark : {false, true}) {
      const QColor colour = kernelColour(name, dark);
      CHECK(contrast(colour, textOn(colour)) >= 4.5);
    }
  }
}

TEST_CASE("the inspector of a gap shows what the gap is when the call is queued ahead") {
  const std::shared_ptr<Run> run = uitest::syntheticRun();
  const Selected opened = openingSelection(run);
  const Pass& pass = *opened.passOrNull();
  const Gap& gap = pass.gaps[opened.item.index];
  const Attribution attribution = groupByIteration(pass.trace);
  const auto kernels = attribution.kernelsOf(gap.iteration);
  const auto position =
      static_cast<std::uint32_t>(std::find(kernels.begin(), kernels.end(), gap.after) - kernels.begin());
  const auto valueOf = [&](const QString& label) {
    for (const InspectionRow& row : inspect(opened))
      if (row.label == label) return row.value;
    return QString();
  };
  const QString held = QStringLiteral("queued ahead, median");
  CHECK(valueOf(held).isEmpty());
  ImplementationResult& result = run->implementations[pass.implementation];
  result.prequeued.emplace().comparison.gaps = {
      {.position = position + 1, .normal = 1, .held = 1},
      {.position = position, .normal = 7'400, .held = 1'600, .result = ExperimentResult::Confirmed}};
  CHECK(valueOf(held) == exactText(1'600));
  CHECK(valueOf(QStringLiteral("what the host cost")) == exactText(5'800));
  result.prequeued->failure = ErrorInfo{ErrorCode::NotSupported, "The call waits inside itself", {}, {}};
  CHECK(valueOf(held).isEmpty());
  CHECK(valueOf(QStringLiteral("queued ahead")).contains(QStringLiteral("waits inside itself")));
}

TEST_CASE("a run opens at the median iteration of what idles longest, its largest gap selected") {
  const std::shared_ptr<const Run> run = uitest::syntheticRun();
  const Selected opened = openingSelection(run);
  CHECK(opened.implementation() == 1);
  REQUIRE(opened.item.kind == SelectedItem::Kind::Gap);
  const Gap& gap = opened.passOrNull()->gaps[opened.item.index];
  CHECK(gap.length() == 7'400);
  CHECK(static_cast<std::int32_t>(gap.iteration) == opened.iteration);
  const Selected first = medianSelection(run, 0);
  CHECK(first.implementation() == 0);
  CHECK(first.item.kind == SelectedItem::Kind::None);
  CHECK(medianSelection(run, 99).pass == -1);
}
