// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/source_panel.h"

#include <QFile>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QResizeEvent>
#include <QSplitter>
#include <QStyle>
#include <QVBoxLayout>

#include "panels/code_view.h"
#include "state/file_watcher.h"
#include "state/text.h"

namespace opscope::ui {
namespace {

constexpr int kCodesBesideFrom = 800;     // px: two columns of code can both be read
constexpr qint64 kMostBytes = 1'000'000;  // more takes the window longer than a frame

}  // namespace

SourcePanel::SourcePanel(QWidget* parent)
    : QWidget(parent),
      watcher_(new FileWatcher(this)),
      title_(new QLabel),
      state_(new QLabel),
      check_(new QPushButton(tr("Check"))),
      editor_(new QPushButton(tr("Open in my editor"))),
      split_(new QSplitter),
      code_(new CodeView),
      spec_(new CodeView),
      list_(new QListWidget) {
  title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  state_->setObjectName(QStringLiteral("sourceState"));
  check_->setToolTip(tr("Reads the spec again, compiles and verifies what is picked, and measures nothing"));
  editor_->setToolTip(tr("The command under Ops, Editor, or what the desktop opens such files with"));
  code_->setAccessibleName(tr("Source"));
  spec_->setAccessibleName(tr("Spec"));
  list_->setAccessibleName(tr("Messages of the compiler and the reader"));
  list_->setWordWrap(true);
  list_->setMaximumHeight(5 * (fontMetrics().height() + 6));
  list_->hide();
  auto* top = new QHBoxLayout;
  top->setContentsMargins(4, 0, 4, 0);
  top->addWidget(title_, 1);
  top->addWidget(state_);
  top->addWidget(check_);
  top->addWidget(editor_);
  split_->addWidget(code_);
  split_->addWidget(spec_);
  split_->setStretchFactor(0, 3);
  split_->setStretchFactor(1, 2);
  split_->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(2, 2, 2, 2);
  layout->setSpacing(2);
  layout->addLayout(top);
  layout->addWidget(list_);
  layout->addWidget(split_, 1);
  connect(check_, &QPushButton::clicked, this, &SourcePanel::checkRequested);
  connect(editor_, &QPushButton::clicked, this, &SourcePanel::openInEditor);
  const auto jump = [this](QListWidgetItem* item) {
    goTo(messages_[static_cast<std::size_t>(list_->row(item))]);
  };
  connect(list_, &QListWidget::itemClicked, this, jump);
  connect(list_, &QListWidget::itemActivated, this, jump);
  connect(watcher_, &FileWatcher::written, this, [this](const QString& file) {
    read();
    Q_EMIT saved(file);
  });
  read();
}

void SourcePanel::show(const std::optional<OpSources>& sources, bool onThisMachine) {
  if (sources == sources_ && onThisMachine == onThisMachine_) return;
  const bool sameFiles = sources && sources_ && sources->code == sources_->code &&
                         sources->spec.file == sources_->spec.file && onThisMachine == onThisMachine_;
  sources_ = sources;
  onThisMachine_ = onThisMachine;
  if (!sameFiles) {
    setMessages({});
    setState({});
  }
  std::vector<std::filesystem::path> files;
  if (sources_ && onThisMachine_) files = {sources_->code, sources_->spec.file};
  watcher_->watch(files);
  read();
  if (sources_ && sources_->spec.line > 0) spec_->goTo(sources_->spec.line);
}

void SourcePanel::read() {
  check_->setEnabled(sources_.has_value());
  const bool some = sources_ && onThisMachine_ && !(sources_->code.empty() && sources_->spec.file.empty());
  editor_->setEnabled(some);
  if (!sources_) {
    title_->setText(tr("No implementation selected."));
    code_->setSentence({});
    spec_->setSentence({});
    return;
  }
  title_->setText(QStringLiteral("%1 / %2").arg(text(sources_->op), text(sources_->implementation)));
  title_->setToolTip(text(sources_->code));
  readInto(*code_, sources_->code,
           tr("This implementation is known by its name alone: a function of a library or of the host."));
  readInto(*spec_, sources_->spec.file, tr("No spec names this op: the engine's program brought it along."));
  setMessages(messages_);
}

void SourcePanel::readInto(CodeView& view, const std::string& file, const QString& whenNone) {
  if (file.empty()) {
    view.setSentence(whenNone);
    return;
  }
  const QString path = text(file);
  view.setToolTip(path);
  if (!onThisMachine_) {
    view.setSentence(tr("On the engine's machine: %1").arg(path));
    return;
  }
  QFile source(path);
  if (!source.open(QIODevice::ReadOnly)) {
    view.setSentence(tr("%1 cannot be read: %2").arg(path, source.errorString()));
  } else if (path.endsWith(QStringLiteral(".so"))) {
    view.setSentence(tr("A shared library: %1").arg(path));
  } else if (source.size() > kMostBytes) {
    view.setSentence(tr("%1 is too large to be shown here.").arg(path));
  } else {
    view.setCode(path, QString::fromUtf8(source.readAll()));
  }
}

void SourcePanel::setState(const QString& words) {
  state_->setText(words);
}

QString SourcePanel::state() const {
  return state_->text();
}

void SourcePanel::setMessages(std::vector<SourceMessage> messages) {
  messages_ = std::move(messages);
  std::vector<SourceMessage> ofCode, ofSpec;
  for (const SourceMessage& message : messages_) {
    if (sources_ && isOf(message, sources_->code)) ofCode.push_back(message);
    if (sources_ && isOf(message, sources_->spec.file)) ofSpec.push_back(message);
  }
  code_->setMessages(ofCode);
  spec_->setMessages(ofSpec);
  fillList();
}

void SourcePanel::fillList() {
  list_->clear();
  for (const SourceMessage& message : messages_) {
    const QString file = text(std::filesystem::path(message.file).filename().string());
    const QString where = message.line > 0 ? QStringLiteral("%1:%2: ").arg(file).arg(message.line)
                          : file.isEmpty() ? QString()
                                           : file + QStringLiteral(": ");
    const QString what = message.isError ? tr("error: ") : tr("warning: ");
    auto* item = new QListWidgetItem(
        style()->standardIcon(message.isError ? QStyle::SP_MessageBoxCritical : QStyle::SP_MessageBoxWarning),
        where + what + message.words, list_);
    item->setToolTip(tr("Go to the line"));
  }
  list_->setVisible(list_->count() > 0);
}

void SourcePanel::goTo(const SourceMessage& message) {
  if (!sources_) return;
  CodeView* view = isOf(message, sources_->code)        ? code_
                   : isOf(message, sources_->spec.file) ? spec_
                                                        : nullptr;
  if (view == nullptr) return;
  view->goTo(message.line, message.column);
  view->setFocus();
}

bool SourcePanel::goToKernel(const QString& baseName) {
  const auto line = lineOfKernel(code_->toPlainText(), baseName);
  if (!line) return false;
  code_->goTo(*line);
  code_->setFocus();
  return true;
}

void SourcePanel::openInEditor() {
  if (!editor_->isEnabled()) return;
  const bool ofSpec = sources_->code.empty() || spec_->hasFocus();
  Q_EMIT editorRequested(text(ofSpec ? sources_->spec.file : sources_->code),
                         ofSpec ? spec_->currentLine() : code_->currentLine());
}

void SourcePanel::resizeEvent(QResizeEvent* event) {
  split_->setOrientation(event->size().width() >= kCodesBesideFrom ? Qt::Horizontal : Qt::Vertical);
  QWidget::resizeEvent(event);
}

}  // namespace opscope::ui
