// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "state/op_sources.h"

class QLabel;
class QListWidget;
class QPushButton;
class QSplitter;

namespace opscope::ui {

class CodeView;
class FileWatcher;

/// The source of an implementation beside the spec that names it, as they are on the disk, with what the
/// compiler and the reader say of their lines. It watches both files; editing is an editor's business.
class SourcePanel : public QWidget {
  Q_OBJECT
 public:
  explicit SourcePanel(QWidget* parent = nullptr);

  /// `onThisMachine`: whether the paths are of this machine. Showing the same again changes nothing.
  void show(const std::optional<OpSources>& sources, bool onThisMachine);
  const std::optional<OpSources>& shown() const { return sources_; }
  /// What is known of the files as they are: "compiles, and is verified".
  void setState(const QString& words);
  /// What was said of the files before is forgotten.
  void setMessages(std::vector<SourceMessage> messages);
  const std::vector<SourceMessage>& messages() const { return messages_; }
  void goTo(const SourceMessage& message);
  /// Puts the cursor at the kernel's definition. False where the source has none.
  bool goToKernel(const QString& baseName);
  CodeView& code() { return *code_; }
  CodeView& spec() { return *spec_; }
  QListWidget& list() { return *list_; }
  QString state() const;

 public Q_SLOTS:
  void openInEditor();

 Q_SIGNALS:
  /// A shown file was written; the panel has read it again.
  void saved(const QString& file);
  void editorRequested(const QString& file, int line);
  void checkRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void read();
  void readInto(CodeView& view, const std::string& file, const QString& whenNone);
  void fillList();

  std::optional<OpSources> sources_;
  bool onThisMachine_ = true;
  std::vector<SourceMessage> messages_;
  FileWatcher* watcher_;
  QLabel* title_;
  QLabel* state_;
  QPushButton* check_;
  QPushButton* editor_;
  QSplitter* split_;
  CodeView* code_;
  CodeView* spec_;
  QListWidget* list_;
};

}  // namespace opscope::ui
