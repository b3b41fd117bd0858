// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QScrollBar>
#include <QToolTip>

#include "plots/theme.h"
#include "state/text.h"

namespace opscope::ui {

InspectorPanel::InspectorPanel(Selection& selection, QWidget* parent)
    : QTextBrowser(parent), selection_(selection), seen_(*this, [this] { fill(); }) {
  setAccessibleName(tr("Inspector"));
  setOpenLinks(false);
  setPlaceholderText(tr("Select a kernel, a gap, a launch or a range."));
  document()->setDocumentMargin(6);
  connect(&selection_, &Selection::changed, &seen_, &WhenSeen::ask);
  connect(&selection_.indexes(), &PassIndexes::ready, &seen_, &WhenSeen::ask);
  connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
    if (const QString name = nameOf(link.toString()); !name.isEmpty())
      QApplication::clipboard()->setText(name);
  });
  fill();
}

QString InspectorPanel::valueHtml(const InspectionRow& row) {
  const QString shown = row.isName ? shortName(row.value) : row.value;
  if (shown == row.value) return shown.toHtmlEscaped();
  names_ << row.value;
  return QStringLiteral("%1 <a href='name:%2'>%3</a>")
      .arg(shown.toHtmlEscaped())
      .arg(names_.size() - 1)
      .arg(tr("copy all %1 characters").arg(row.value.size()));
}

QString InspectorPanel::nameOf(const QString& link) const {
  bool isName = link.startsWith(QStringLiteral("name:"));
  const int at = isName ? link.mid(5).toInt(&isName) : -1;
  return isName && at >= 0 && at < names_.size() ? names_[at] : QString();
}

bool InspectorPanel::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QTextBrowser::viewportEvent(event);
  const auto* asked = static_cast<QHelpEvent*>(event);
  const QString name = nameOf(anchorAt(asked->pos()));
  if (name.isEmpty()) {
    QToolTip::hideText();
  } else {
    QToolTip::showText(asked->globalPos(), folded(name), this);
  }
  return true;
}

void InspectorPanel::fill() {
  names_.clear();
  const Selected& now = selection_.now();
  std::shared_ptr<const PassIndex> records;
  if (now.passOrNull()) {
    records = selection_.indexes().of(now.run->passes[static_cast<std::size_t>(now.pass)]);
    if (!records) {
      setPlainText(tr("Reading the records of this pass."));
      return;
    }
  }
  const PlotTheme theme = plotTheme(palette());
  QString html = QStringLiteral("<table width='100%' cellspacing='0' cellpadding='2'>");
  for (const InspectionRow& row : inspect(now, records)) {
    if (row.value.isEmpty() && row.label.isEmpty()) continue;
    if (row.value.isEmpty()) {
      html += QStringLiteral("<tr><td colspan='2' bgcolor='%1'><b>%2</b></td></tr>")
                  .arg(theme.line.name(), row.label.toHtmlEscaped());
    } else if (row.label.isEmpty()) {
      html += QStringLiteral("<tr><td colspan='2'>%1</td></tr>").arg(valueHtml(row));
    } else {
      html += QStringLiteral("<tr><td style='color:%1'>%2&nbsp;</td><td>%3</td></tr>")
                  .arg(theme.faint.name(), row.label.toHtmlEscaped(), valueHtml(row));
    }
  }
  html += QStringLiteral("</table>");
  setHtml(selection_.now().run ? html : QString());
}

void InspectorPanel::changeEvent(QEvent* event) {
  QTextBrowser::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) fill();
}

}  // namespace opscope::ui
