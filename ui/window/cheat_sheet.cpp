// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/cheat_sheet.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QTextDocument>

#include "window/palette.h"

namespace opscope::ui {
namespace {

QString rowHtml(const QString& keys, const QString& what) {
  return QStringLiteral("<tr><td align='right'><b>%1</b>&nbsp;&nbsp;</td><td>%2</td></tr>")
      .arg(keys.toHtmlEscaped(), what.toHtmlEscaped());
}

QString tableHtml(const QString& title, const QString& rows) {
  return QStringLiteral("<h3>%1</h3><table cellpadding='1'>%2</table>").arg(title.toHtmlEscaped(), rows);
}

}  // namespace

CheatSheet::CheatSheet(const QMenuBar& menus, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Keys"));
  auto* layout = new QHBoxLayout(this);
  layout->setSpacing(28);
  layout->setContentsMargins(20, 8, 20, 16);
  const auto addColumn = [&](const QString& html) {
    auto* column = new QLabel(html);
    column->setTextFormat(Qt::RichText);
    column->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    layout->addWidget(column);
    html_ += html;
  };
  QString column;
  int rowsInColumn = 0;
  for (const QAction* entry : menus.actions()) {
    if (!entry->menu()) continue;
    QString rows;
    int count = 0;
    for (const QAction* action : entry->menu()->actions()) {
      if (action->shortcuts().isEmpty()) continue;
      QStringList keys;
      for (const QKeySequence& key : action->shortcuts()) keys << key.toString(QKeySequence::NativeText);
      rows += rowHtml(keys.join(QStringLiteral(", ")), plainName(*action));
      ++count;
    }
    if (count == 0) continue;
    if (rowsInColumn > 0 && rowsInColumn + count > 18) {
      addColumn(column);
      column.clear();
      rowsInColumn = 0;
    }
    column += tableHtml(plainName(*entry), rows);
    rowsInColumn += count + 2;
  }
  addColumn(column);
  addColumn(tableHtml(tr("Mouse in the timeline"),
                      rowHtml(tr("wheel"), tr("zoom at the cursor")) +
                          rowHtml(tr("Ctrl+wheel"), tr("zoom finely")) +
                          rowHtml(tr("Shift+wheel"), tr("pan")) +
                          rowHtml(tr("drag"), tr("range; its ends snap to edges (Alt: no snap)")) +
                          rowHtml(tr("middle drag"), tr("pan")) + rowHtml(tr("click"), tr("select")) +
                          rowHtml(tr("double click"), tr("frame")) +
                          rowHtml(tr("Shift+click"), tr("rulers A and B")) +
                          rowHtml(tr("right click"), tr("filters, copy a name"))) +
            tableHtml(tr("Search"), rowHtml(tr("Enter, Shift+Enter"), tr("next, previous kernel that fits")) +
                                        rowHtml(tr("Esc"), tr("clear, back to the timeline"))));
}

QString CheatSheet::plainText() const {
  QTextDocument document;
  document.setHtml(html_);
  return document.toPlainText();
}

}  // namespace opscope::ui
