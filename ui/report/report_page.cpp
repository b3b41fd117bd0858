// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/report_page.h"

#include <QPainter>
#include <QTextDocument>
#include <algorithm>
#include <cmath>

#include "plots/distribution_plot.h"
#include "plots/drift_plot.h"
#include "plots/history_plot.h"
#include "plots/roofline_plot.h"
#include "plots/strip_plot.h"
#include "plots/sweep_plot.h"
#include "plots/timeline_plot.h"
#include "session/comparison.h"
#include "session/summary_rows.h"
#include "state/colours.h"
#include "state/focus.h"
#include "state/history.h"
#include "state/methods.h"
#include "state/roofline.h"
#include "state/session_model.h"
#include "state/sweep.h"
#include "state/text.h"
#include "state/verdict.h"

namespace opscope::ui {
namespace {

constexpr int kWidth = 1400;
constexpr int kMargin = 36;
constexpr int kInner = kWidth - 2 * kMargin;

QPalette lightPalette() {
  QPalette palette(QColor(0xf2, 0xf2, 0xf2));
  palette.setColor(QPalette::Base, Qt::white);
  palette.setColor(QPalette::Text, QColor(0x16, 0x16, 0x16));
  palette.setColor(QPalette::Highlight, QColor(0x00, 0x72, 0xb2));
  return palette;
}

/// Lays the plot out as if it were shown: sizes and axes are made by the events of showing.
QImage picture(QCustomPlot& plot, int width, int height, double scale) {
  plot.setPalette(lightPalette());
  plot.setAttribute(Qt::WA_DontShowOnScreen);
  plot.resize(width, height);
  plot.show();
  plot.replot(QCustomPlot::rpImmediateRefresh);
  QImage image = plot.toPixmap(width, height, scale).toImage();
  image.setDevicePixelRatio(1);
  return image;
}

/// One stretch of the page: words or a picture.
struct Block {
  QString html;
  QImage image;
};

QString escaped(const std::string& words) {
  return text(words).toHtmlEscaped();
}

QString titleHtml(const Run& run) {
  QStringList dims;
  for (const auto& [name, size] : run.dims) dims << QStringLiteral("%1 = %2").arg(text(name)).arg(size);
  return QStringLiteral(
             "<h1>%1 &nbsp; <span style='font-weight:400'>%2 %3</span></h1>"
             "<p>%4 &nbsp;·&nbsp; %5 &nbsp;·&nbsp; <b>%6 figures</b> &nbsp;·&nbsp; %7</p>")
      .arg(escaped(run.op), escaped(run.workload), escaped(run.dtype),
           dims.join(QStringLiteral(", ")).toHtmlEscaped(), escaped(run.deviceName), escaped(run.figures),
           wallTimeText(run.startedUnixNs));
}

QString verdictsHtml(const Run& run) {
  const VerdictText verdict = verdictOf(run);
  QString html = QStringLiteral("<table width='100%' cellpadding='6' cellspacing='0'>");
  std::size_t at = 0;
  for (const ImplementationVerdict& one : verdict.verdicts) {
    const QString colour = implementationColour(at++).name();
    html += QStringLiteral("<tr><td width='8' bgcolor='%1'></td><td valign='middle'><b>%2 %3</b></td>")
                .arg(one.failed ? QStringLiteral("#b3261e") : colour, one.letter, one.name.toHtmlEscaped());
    if (one.failed) {
      html +=
          QStringLiteral(
              "<td colspan='3'><b><span style='color:#b3261e'>%1: no number</span></b> &nbsp; %2 "
              "<i>%3</i></td></tr>")
              .arg(one.failureName.toHtmlEscaped(), one.sentence.toHtmlEscaped(), one.remedy.toHtmlEscaped());
      continue;
    }
    QStringList why{one.efficiency, one.idle, one.causes, one.compared};
    why.removeAll(QString());
    QString mark =
        one.mark.isEmpty() ? QString() : QStringLiteral(" <b>[%1]</b>").arg(one.mark.toHtmlEscaped());
    html +=
        QStringLiteral("<td><b>%1</b>%2<br>%3</td><td>%4</td><td>%5</td></tr>")
            .arg((one.figure.isEmpty() ? one.sentence : one.figure).toHtmlEscaped(), mark,
                 one.spread.toHtmlEscaped(), one.latency.toHtmlEscaped(), why.join(QStringLiteral("<br>")));
  }
  html += QStringLiteral("</table>");
  QStringList how{verdict.method,
                  verdict.l2,
                  verdict.dropped,
                  QObject::tr("seed %1").arg(run.seed),
                  QObject::tr("blocks %1").arg(run.blocks),
                  verdict.remark};
  how.removeAll(QString());
  return html + QStringLiteral("<p>%1</p>").arg(how.join(QStringLiteral(" &nbsp;·&nbsp; ")));
}

QString findingsHtml(const Run& run) {
  if (run.findings.empty()) return {};
  QString html = QObject::tr("<h3>Findings</h3>") + QStringLiteral("<ul>");
  for (const Finding& finding : run.findings) {
    const bool warning = finding.severity == Finding::Severity::Warning;
    html += QStringLiteral("<li>%1%2</li>")
                .arg(warning ? QObject::tr("<b>Warning.</b> ") : QString(), escaped(finding.sentence));
  }
  return html + QStringLiteral("</ul>");
}

QString environmentHtml(const Run& run) {
  if (run.environment.empty()) return {};
  QStringList parts;
  for (const auto& [name, value] : run.environment)
    parts << QStringLiteral("<b>%1</b>&nbsp;%2").arg(escaped(name), escaped(value));
  return QObject::tr("<h3>Environment</h3>") +
         QStringLiteral("<p>%1</p>").arg(parts.join(QStringLiteral(" &nbsp;·&nbsp; ")));
}

QString methodsHtml(const Run& run) {
  const std::vector<MethodRow> rows = methodsOf(run);
  if (rows.empty()) return {};
  const TimeUnit unit = unitOf(run);
  QString html = QStringLiteral("<table width='100%' cellpadding='5' cellspacing='0'><tr>");
  for (const QString& title :
       {QObject::tr("Implementation"), QObject::tr("Method"),
        QObject::tr("One call (%1)").arg(text(suffixOf(unit))), QObject::tr("Times the number"),
        QObject::tr("n"), QObject::tr("L2"), QObject::tr("Includes")})
    html += QStringLiteral("<th align='left'>%1</th>").arg(title);
  html += QStringLiteral("</tr>");
  for (const MethodRow& row : rows) {
    const MethodReading& reading = row.reading;
    const bool failed = reading.failure.has_value();
    const QStringList cells{
        letterOf(row.implementation) + QLatin1Char(' ') + text(run.implementations[row.implementation].name),
        row.isTheNumber ? QObject::tr("%1 (the number)").arg(text(reading.method)) : text(reading.method),
        failed ? QString() : text(formatIn(unit, reading.perCall.median)),
        row.times ? text(formatNumber(*row.times)) : QString(),
        failed ? QString() : QString::number(reading.perCall.n),
        text(reading.l2),
        failed ? text(failureText(*reading.failure)) : text(reading.includes)};
    html += QStringLiteral("<tr>");
    for (const QString& cell : cells) html += QStringLiteral("<td>%1</td>").arg(cell.toHtmlEscaped());
    html += QStringLiteral("</tr>");
  }
  html += QStringLiteral("</table>");
  for (const QString& words : tracingWords(run))
    html += QStringLiteral("<p>%1</p>").arg(words.toHtmlEscaped());
  return html;
}

QString paragraphs(const QStringList& sentences) {
  QString html;
  for (const QString& words : sentences) html += QStringLiteral("<p>%1</p>").arg(words.toHtmlEscaped());
  return html;
}

QStringList driftWords(const Run& run) {
  QStringList words;
  if (!run.comparison) return words;
  for (const std::string& sentence :
       {driftSentence(*run.comparison), fixedOrderSentence(run, *run.comparison)})
    if (!sentence.empty()) words << text(sentence);
  return words;
}

/// A session and a selection of a picture's own.
struct Stage {
  Stage(const std::shared_ptr<const Run>& run, const RunList& runs) {
    for (const auto& one : runs) session.add(one);
    if (std::find(runs.begin(), runs.end(), run) == runs.end()) session.add(run);
    selection.select(openingSelection(run));
  }
  SessionModel session;
  Selection selection;
};

std::unique_ptr<QTextDocument> documentOf(const QString& html) {
  auto document = std::make_unique<QTextDocument>();
  document->setDocumentMargin(0);
  document->setDefaultStyleSheet(QStringLiteral("body { color: #161616; }"));
  document->setHtml(QStringLiteral("<body>") + html + QStringLiteral("</body>"));
  document->setTextWidth(kInner);
  return document;
}

}  // namespace

QImage drawTimeline(const Selected& selected, int width, double scale, const PassIndexList& indexes) {
  Selection selection;
  selection.indexes().setAtOnce();
  for (const auto& index : indexes) {
    if (&index->pass() == selected.passOrNull()) selection.indexes().put(index);
  }
  TimelinePlot plot(selection);
  selection.select(selected);
  return picture(plot, width, plot.naturalHeight() + plot.naturalHeight() / 4, scale);
}

QImage drawIterations(const Selected& selected, int width, int height, double scale) {
  Selection selection;
  StripPlot plot(selection);
  selection.select(selected);
  return picture(plot, width, height, scale);
}

QImage drawDistribution(const std::shared_ptr<const Run>& run, int width, int height, double scale) {
  Stage stage(run, {run});
  DistributionPlot plot(stage.selection);
  return picture(plot, width, height, scale);
}

QImage drawDrift(const std::shared_ptr<const Run>& run, int width, int height, double scale) {
  Stage stage(run, {run});
  DriftPlot plot(stage.selection);
  return picture(plot, width, height, scale);
}

QImage drawRoofline(const std::shared_ptr<const Run>& run, const RunList& runs, int width, int height,
                    double scale) {
  Stage stage(run, runs);
  RooflinePlot plot(stage.session, stage.selection);
  return picture(plot, width, height, scale);
}

QImage drawSweep(const std::shared_ptr<const Run>& run, const RunList& runs, int width, int height,
                 double scale) {
  Stage stage(run, runs);
  SweepPlot plot(stage.session, stage.selection);
  return picture(plot, width, height, scale);
}

QImage drawHistory(const std::shared_ptr<const Run>& run, const RunList& runs, int width, int height,
                   double scale) {
  Stage stage(run, runs);
  HistoryPlot plot(stage.session, stage.selection);
  return picture(plot, width, height, scale);
}

QImage drawMethods(const std::shared_ptr<const Run>& run, int width, double scale) {
  const QString html = methodsHtml(*run);
  if (html.isEmpty()) return {};
  const auto document = documentOf(titleHtml(*run) + html);
  document->setTextWidth(width - 2 * kMargin);
  QImage image(static_cast<int>(std::lround(width * scale)),
               static_cast<int>(std::ceil((document->size().height() + 2 * kMargin) * scale)),
               QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.scale(scale, scale);
  painter.translate(kMargin, kMargin);
  document->drawContents(&painter);
  return image;
}

bool hasNumbers(const Run& run) {
  return std::any_of(run.implementations.begin(), run.implementations.end(),
                     [](const ImplementationResult& one) { return one.hasNumber(); });
}

bool hasRoofline(const Run& run) {
  return hasNumbers(run) && (run.bytes > 0 || run.flops > 0);
}

bool hasSweep(const std::shared_ptr<const Run>& run, const RunList& runs) {
  return !sweepAxes(run, runs).empty();
}

bool hasHistory(const std::shared_ptr<const Run>& run, const RunList& runs) {
  return hasNumbers(*run) && historyFor(run, -1, runs, {}).runs.size() > 1;
}

QImage drawReport(const std::shared_ptr<const Run>& run, const RunList& runs, double scale,
                  const PassIndexList& indexes) {
  std::vector<Block> blocks;
  blocks.push_back({titleHtml(*run), {}});
  blocks.push_back({verdictsHtml(*run), {}});
  blocks.push_back({QObject::tr("<h3>Iterations, in the order they ran: busy below, gap on top</h3>"), {}});
  blocks.push_back({{}, drawIterations(openingSelection(run), kInner, 190, scale)});
  for (std::uint32_t i = 0; i < run->implementations.size(); ++i) {
    const Selected median = medianSelection(run, i);
    if (!median.passOrNull()) continue;
    const auto& implementation = run->implementations[i];
    const QString which = implementation.failure ? QObject::tr("records of iteration %1; no number: %2")
                                                       .arg(median.iteration)
                                                       .arg(text(nameOf(implementation.failure->code)))
                                                 : QObject::tr("median iteration (pass %1, iteration %2)")
                                                       .arg(median.pass + 1)
                                                       .arg(median.iteration);
    blocks.push_back({QStringLiteral("<h3>%1 %2 &nbsp; <span style='font-weight:400'>%3</span></h3>")
                          .arg(letterOf(i), escaped(implementation.name), which.toHtmlEscaped()),
                      {}});
    blocks.push_back({{}, drawTimeline(median, kInner, scale, indexes)});
  }
  const auto add = [&blocks](const QString& title, const QImage& image, const QStringList& words) {
    blocks.push_back({QStringLiteral("<h3>%1</h3>").arg(title) + paragraphs(words), {}});
    if (!image.isNull()) blocks.push_back({{}, image});
  };
  if (hasNumbers(*run)) {
    add(QObject::tr("Drift: busy against wall time"), drawDrift(run, kInner, 240, scale), driftWords(*run));
  }
  if (const QString methods = methodsHtml(*run); !methods.isEmpty())
    blocks.push_back({QObject::tr("<h3>Methods</h3>") + methods, {}});
  if (hasRoofline(*run)) {
    add(QObject::tr("Roofline"), drawRoofline(run, runs, kInner, 320, scale),
        rooflineWords(rooflineOf(run, runs), run));
  }
  if (const auto axes = sweepAxes(run, runs); !axes.empty()) {
    add(QObject::tr("Sweep over %1").arg(text(axes.front())), drawSweep(run, runs, kInner, 320, scale),
        sweepWords(sweepOf(run, runs, axes.front()), run));
  }
  if (hasHistory(run, runs)) {
    const std::int32_t opened = openingSelection(run).implementation();
    add(QObject::tr("History: busy over the runs of this work"), drawHistory(run, runs, kInner, 320, scale),
        historyWords(historyFor(run, opened, runs, {}), run, opened));
  }
  blocks.push_back({findingsHtml(*run), {}});
  blocks.push_back({environmentHtml(*run), {}});

  double height = kMargin;
  std::vector<std::unique_ptr<QTextDocument>> documents;
  for (const Block& block : blocks) {
    documents.push_back(block.image.isNull() ? documentOf(block.html) : nullptr);
    height += documents.back() ? documents.back()->size().height() : block.image.height() / scale;
    height += 8;
  }
  QImage page(static_cast<int>(std::lround(kWidth * scale)),
              static_cast<int>(std::ceil((height + kMargin) * scale)), QImage::Format_RGB32);
  page.fill(Qt::white);
  QPainter painter(&page);
  painter.scale(scale, scale);
  painter.translate(kMargin, kMargin);
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    double used = 0;
    if (documents[i]) {
      documents[i]->drawContents(&painter);
      used = documents[i]->size().height();
    } else {
      used = blocks[i].image.height() / scale;
      painter.drawImage(QRectF(0, 0, kInner, used), blocks[i].image);
    }
    painter.translate(0, used + 8);
  }
  return page;
}

}  // namespace opscope::ui
