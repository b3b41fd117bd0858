// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMainWindow>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "state/engine_bridge.h"
#include "state/op_sources.h"
#include "state/selection.h"
#include "state/session_model.h"
#include "state/worker.h"

class QLabel;
class QSettings;
class QStackedWidget;

namespace opscope::ui {

class Banner;
class EngineList;
class JobSeries;
class EnginesDialog;
class FindingsPanel;
class LogPanel;
class MeasureProgress;
class Minimap;
class PickersBar;
class SourcePanel;
class StartPage;
class StripPlot;
class TimelineBar;
class TimelinePlot;
class VerdictBar;

/// The workbench. All slow work happens on the engine's threads and on one worker: the window never blocks.
class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  /// Settings are read from and written to `settings`, which must outlive the window. `opFolders`: those that
  /// the engine was given beside the ones in the settings; another engine gets them too.
  MainWindow(std::shared_ptr<Engine> engine, QSettings& settings, const QStringList& opFolders = {},
             QWidget* parent = nullptr);
  ~MainWindow() override;

  Selection& selection() { return selection_; }
  SessionModel& session() { return session_; }
  EngineBridge& bridge() { return *bridge_; }
  Worker& worker() { return *worker_; }
  PickersBar& pickers() { return *pickers_; }
  TimelinePlot& timeline() { return *timeline_; }
  TimelineBar& timelineBar() { return *timelineBar_; }
  StripPlot& strip() { return *strip_; }
  VerdictBar& verdictBar() { return *verdicts_; }
  Banner& banner() { return *banner_; }
  SourcePanel& source() { return *source_; }

  /// Sessions, and traces that other programs recorded. In the background; what cannot be read is said in the
  /// banner.
  void openFiles(const std::vector<std::filesystem::path>& files);
  /// In the background; `then` follows once everything is in the file.
  void saveTo(const std::filesystem::path& file, std::function<void()> then = {});
  void exportTo(const std::filesystem::path& folder);
  /// Shows a failure in the banner and the log.
  void report(const ErrorInfo& error);
  /// Folders with ops, or files of such: kept in the settings, and the first op of the last is picked.
  void addOps(const QStringList& paths);
  void forgetOps(const QString& folder);
  /// Writes the files of a new op, and adds its folder.
  void newOp(const QString& folder, const QString& name);

 Q_SIGNALS:
  /// The spec of the shown source was read again and what is picked of it compiled and verified, or not.
  void checked(bool good);

 public Q_SLOTS:
  /// Reads the spec of the shown source again, compiles and verifies what is picked; once nothing is
  /// measured.
  void checkSources();
  /// Measures what is picked over the sizes of one dimension: "M=128:8192:2x".
  void sweep(const QString& axis);
  void measure();
  void measureOnce();
  void askBlocks();
  void stop();

 protected:
  void closeEvent(QCloseEvent* event) override;
  void changeEvent(QEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void createViews();
  void createDocks();
  void createActions();
  void drawIcons();
  void createStatusBar();
  /// Where there is no room for all tabs they scroll: one that is cut to "Ke..." names nothing.
  void keepTabNames();
  void addViewActions();
  void addGoActions();
  void addOpActions();
  void connectSource();
  void showSource(std::pair<std::string, std::string> opAndImplementation);
  void checkIfIdle();
  void adopt(const CatalogueInfo& catalogue);
  void startCheck(std::vector<SourceMessage> said);
  void endCheck(const std::shared_ptr<const Run>& run, const std::optional<ErrorInfo>& error);
  void endCheckOf(std::vector<SourceMessage> said, const QString& state);
  std::vector<SourceMessage> messagesOfRun(const Run& run) const;
  QStringList allOpFolders() const;
  void askNewOp();
  void askForgetOps();
  void askEditor();
  void openInEditor(const QString& file, int line);
  void restartEngine();
  void pickWantedOp(const CatalogueInfo& catalogue);
  void raiseDock(const QString& id);
  void connectEngine();
  void loadCatalogue();
  void follow(const Selected& now, const Selected& before);
  void showVerdict();
  void showStatus();
  void updateActions();
  void start(std::uint32_t blocks);
  void startJob(const Job& job);
  void beginLive(const std::shared_ptr<const Run>& run);
  void addLive(const std::shared_ptr<const Pass>& pass);
  void restartLive(std::uint32_t block);
  void measureCeilings();
  void measureMethods();
  void askSweep();
  void keepCeilings(const JobSeries& series);
  /// Looks up, in the background, what is known here of the devices of these runs.
  void completeCeilings(std::vector<std::shared_ptr<const Run>> runs);
  /// Measures jobs one after the other. `keep`: their runs become the window's. `then` follows, however it
  /// ended.
  void startSeries(JobSeries series, bool keep, std::function<void(const JobSeries&)> then);
  void goOn();
  void openRun(const std::shared_ptr<const Run>& run);
  void showLive(std::shared_ptr<Run> run);
  void endLive();
  void finish(const std::shared_ptr<const Run>& run);
  void showEngines();
  void keepEngines(const EngineList& engines);
  void switchEngine();
  void restoreLayout();
  void restoreDefaultLayout();
  void openFile(const std::filesystem::path& file);
  void importTraceFile(const std::filesystem::path& file);
  void endImport();
  bool isImporting() const { return imports_ > 0; }
  void askOpen();
  void askSave(std::function<void()> then = {});
  void askExport();
  struct Export;
  void drawNext(const std::shared_ptr<Export>& files);
  void showKeys();
  void showPalette();
  void pinBaseline();
  void showAbout();
  QAction* addTimelineAction(QMenu* menu, const QString& words, const QList<QKeySequence>& keys,
                             std::function<void()> act);
  QDockWidget* addDock(const QString& name, const QString& id, QWidget* panel, Qt::DockWidgetArea area);

  QSettings& settings_;
  SessionModel session_;
  Selection selection_;
  EngineBridge* bridge_;
  Worker* worker_;
  std::stop_source stopImports_;
  int imports_ = 0;  ///< asked for and not yet ended

  QMainWindow* inner_ = nullptr;  ///< holds the docks, below the verdict bar that spans the window
  PickersBar* pickers_ = nullptr;
  VerdictBar* verdicts_ = nullptr;
  Banner* banner_ = nullptr;
  QStackedWidget* pages_ = nullptr;
  StartPage* startPage_ = nullptr;
  StripPlot* strip_ = nullptr;
  TimelinePlot* timeline_ = nullptr;
  TimelineBar* timelineBar_ = nullptr;
  Minimap* minimap_ = nullptr;
  FindingsPanel* findings_ = nullptr;
  SourcePanel* source_ = nullptr;
  LogPanel* log_ = nullptr;
  MeasureProgress* progress_ = nullptr;
  std::vector<QDockWidget*> docks_;
  QByteArray defaultLayout_;
  EnginesDialog* engines_ = nullptr;
  QString engineWanted_;  ///< switched to once nothing runs
  QStringList givenOpFolders_;
  QString wantedOpFile_;  ///< an op of this file or folder is picked once it is known
  bool checkWanted_ = false;
  bool checking_ = false;  ///< what runs is a check: a measurement that is asked for ends it
  bool specBroken_ = false;
  bool bannerOfCheck_ = false;
  std::optional<std::uint32_t> measureAfterCheck_;  ///< in so many blocks
  std::shared_ptr<Run> live_;                       ///< the passes of the measurement in progress
  struct Series;
  std::unique_ptr<Series> series_;  ///< while several jobs are measured one after the other

  QLabel* timeLabel_ = nullptr;
  QLabel* selectionLabel_ = nullptr;
  QLabel* deviceLabel_ = nullptr;
  QAction* measureAction_ = nullptr;
  QAction* measureOnceAction_ = nullptr;
  QAction* ceilingsAction_ = nullptr;
  QAction* methodsAction_ = nullptr;
  QAction* sweepAction_ = nullptr;
  QAction* stopAction_ = nullptr;
  QAction* checkAction_ = nullptr;
  QAction* paletteAction_ = nullptr;
  QAction* saveAction_ = nullptr;
  QAction* exportAction_ = nullptr;
  std::vector<QAction*> timelineActions_;
};

}  // namespace opscope::ui
