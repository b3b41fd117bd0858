// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector_panel.h"

#include <QEvent>
#include <QScrollBar>

#include "plots/theme.h"
#include "state/inspection.h"

namespace opscope::ui {

InspectorPanel::InspectorPanel(Selection& selection, QWidget* parent)
    : QTextBrowser(parent), selection_(selection) {
  setAccessibleName(tr("Inspector"));
  setOpenLinks(false);
  setPlaceholderText(tr("Select a kernel, a gap, a launch or a range."));
  document()->setDocumentMargin(6);
  connect(&selection_, &Selection::changed, this, [this] { fill(); });
  connect(&selection_.indexes(), &PassIndexes::ready, this, [this] { fill(); });
  fill();
}

void InspectorPanel::fill() {
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
      html += QStringLiteral("<tr><td colspan='2'>%1</td></tr>").arg(row.value.toHtmlEscaped());
    } else {
      html += QStringLiteral("<tr><td style='color:%1'>%2&nbsp;</td><td>%3</td></tr>")
                  .arg(theme.faint.name(), row.label.toHtmlEscaped(), row.value.toHtmlEscaped());
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
