// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/series.h"

#include <QInputDialog>
#include <QSettings>
#include <algorithm>

#include "engine/ceilings.h"
#include "panels/banner.h"
#include "panels/log_panel.h"
#include "panels/pickers_bar.h"
#include "panels/progress_bar.h"
#include "state/known_ceilings.h"
#include "state/text.h"
#include "suite/axis.h"

// Measurements of several jobs, one after the other.

namespace opscope::ui {
namespace {

QString axisSetting() {
  return QStringLiteral("measure/axis");
}

}  // namespace

void MainWindow::startSeries(JobSeries series, bool keep, std::function<void(const JobSeries&)> then) {
  if (bridge_->isRunning() || !series.current()) return;
  series_ = std::make_unique<Series>(Series{std::move(series), keep, std::move(then)});
  banner_->hide();
  goOn();
}

void MainWindow::goOn() {
  if (const Job* job = series_->jobs.current()) {
    progress_->begin(series_->jobs.place());
    bridge_->start(*job);
    updateActions();
    return;
  }
  const auto over = std::move(series_);
  progress_->end();
  endLive();
  for (const ErrorInfo& failure : over->jobs.failures()) log_->say(failure);
  over->then(over->jobs);
  updateActions();
}

void MainWindow::measureCeilings() {
  const DeviceInfo* device = pickers_->device();
  if (!device || bridge_->isRunning()) return;
  Job job;
  job.device = device->id;
  std::vector<Job> jobs = ceilingJobs(pickers_->catalogue(), *device, job);
  if (jobs.empty()) {
    report({ErrorCode::NotSupported,
            "The catalogue has no op that could measure the ceilings of " + device->name + ".",
            "They are measured by copy, triad, gemm and gemm_fp8.",
            {}});
    return;
  }
  log_->say(tr("Measuring the ceilings of %1: %2 probes.").arg(text(device->name)).arg(jobs.size()));
  startSeries(JobSeries(tr("ceiling"), std::move(jobs)), false,
              [this](const JobSeries& series) { keepCeilings(series); });
}

void MainWindow::keepCeilings(const JobSeries& series) {
  if (!series.isComplete()) {
    if (series.failures().empty()) {
      log_->say(tr("Stopped: the ceilings that were known before are kept."));
    } else {
      report(series.failures().back());
    }
    return;
  }
  std::int64_t end = 0;
  for (const auto& run : series.runs()) end = std::max(end, run->finishedUnixNs);
  const auto record = std::make_shared<const CeilingRecord>(ceilingRecordOf(series.runs(), end));
  if (record->points.empty()) {
    report({ErrorCode::NotSupported,
            "No probe gave a number, so no ceilings are kept.",
            "The log says why.",
            {}});
    return;
  }
  worker_->post([this, record]() -> std::function<void()> {
    try {
      const auto file = ceilingFile();
      CeilingRecords records = readCeilings(file);
      records[record->device] = *record;
      writeCeilings(file, records);
      return [this, record, file] {
        for (const CeilingPoint& point : record->points) log_->say(text(textOf(point)));
        log_->say(
            tr("The ceilings of %1 are kept in %2.").arg(text(record->deviceName), text(file.string())));
        completeCeilings(session_.runs());
      };
    } catch (...) {
      return [this, error = currentErrorInfo()] { report(error); };
    }
  });
}

void MainWindow::askSweep() {
  if (bridge_->isRunning() || !pickers_->isReady()) return;
  const QString kept = settings_.value(axisSetting()).toString();
  bool accepted = false;
  const QString axis = QInputDialog::getText(
      this, tr("Sweep"),
      tr("The sizes of one dimension of %1: by a factor (M=128:8192:2x), by a step (M=128:1024:+128)\nor one "
         "by one (M=64,100,3000). The rest of the shape is the workload's.")
          .arg(text(pickers_->job().op)),
      QLineEdit::Normal, kept.isEmpty() ? QStringLiteral("M=128:8192:2x") : kept, &accepted);
  if (accepted) sweep(axis);
}

void MainWindow::sweep(const QString& words) {
  const DeviceInfo* device = pickers_->device();
  if (bridge_->isRunning() || !device) return;
  try {
    const Axis axis = parseAxis(words.toStdString());
    const Job base = pickers_->job();
    std::vector<Job> jobs;
    for (PlannedJob& planned : planSweep(pickers_->catalogue(), device->kind, base, axis))
      jobs.push_back(std::move(planned.job));
    settings_.setValue(axisSetting(), words);
    log_->say(tr("Sweeping %1 over %2: %3 sizes.").arg(text(base.op), text(axis.dim)).arg(jobs.size()));
    startSeries(JobSeries(tr("size"), std::move(jobs)), true, [this](const JobSeries& series) {
      log_->say(series.isComplete() ? tr("Swept %1 sizes.").arg(series.runs().size())
                                    : tr("The sweep ended after %1 sizes.").arg(series.runs().size()));
      if (!series.isComplete() && !series.failures().empty()) report(series.failures().back());
    });
  } catch (const Error& error) {
    report(error.info());
  }
}

void MainWindow::completeCeilings(std::vector<std::shared_ptr<const Run>> runs) {
  worker_->post([this, runs = std::move(runs)]() -> std::function<void()> {
    CeilingRecords known;
    try {
      known = readCeilings(ceilingFile());
    } catch (const Error&) {
      return {};  // as without any; who measures them is told what is wrong with the file
    }
    auto completed = std::make_shared<std::vector<std::pair<SessionModel::RunPtr, SessionModel::RunPtr>>>();
    for (const auto& run : runs)
      if (auto next = withCeilings(run, known)) completed->emplace_back(run, std::move(next));
    return [this, completed] {
      for (const auto& [before, now] : *completed) {
        session_.replace(before, now);
        if (selection_.now().run != before) continue;
        Selected same = selection_.now();
        same.run = now;
        selection_.select(std::move(same));
      }
    };
  });
}

}  // namespace opscope::ui
