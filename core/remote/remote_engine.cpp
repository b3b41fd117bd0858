// SPDX-License-Identifier: Apache-2.0
#include "remote/remote_engine.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <mutex>
#include <thread>

#include "base/format.h"
#include "remote/connection.h"
#include "remote/death.h"
#include "remote/job_mirror.h"

namespace opscope {
namespace {

using namespace remote;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kDeathsOfOneJob = 3;
// How long after a deadline it is noticed at most, while anything is waited for.
constexpr milliseconds kLook{100};
constexpr milliseconds kIdleLook{1000};
constexpr milliseconds kGoodbye{1000};

// Why a connection is given up although it may still stand.
struct GiveUp {
  std::string how;
};

std::string textOfTime(milliseconds time) {
  return formatNs(static_cast<double>(std::chrono::nanoseconds(time).count()));
}

class Remote final : public RemoteEngine {
 public:
  Remote(std::vector<std::string> words, const EngineLimits& limits)
      : words_(std::move(words)), limits_(limits), keeper_([this] { keep(); }) {}

  ~Remote() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      if (job_ && !job_->stopAt) job_->stopAt = Clock::now();
    }
    wake_.raise();
    keeper_.join();
  }

  EngineIdentity identity() override {
    const Hello hello = helloFrom(ask({}));
    return {hello.version, hello.host, hello.pid};
  }
  CatalogueInfo catalogue() override { return read<CatalogueInfo>("catalogue", catalogueFrom); }
  std::vector<DeviceInfo> devices() override { return read<std::vector<DeviceInfo>>("devices", devicesFrom); }
  std::vector<Check> diagnose() override { return read<std::vector<Check>>("diagnose", checksFrom); }

  void start(const Job& job, EngineHandler handler) override {
    {
      const std::lock_guard lock(mutex_);
      if (job_) throw BadInput("A measurement is running", "Wait for it, or stop it.");
      job_ = Waiting{job, std::move(handler), {}};
    }
    wake_.raise();
  }

  void stop() override {
    {
      const std::lock_guard lock(mutex_);
      if (job_ && !job_->stopAt) job_->stopAt = Clock::now();
    }
    wake_.raise();
  }

  void wait() override {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return !job_; });
  }

 private:
  struct Waiting {
    Job job;
    EngineHandler handler;
    std::optional<Clock::time_point> stopAt;  // when it was asked to stop
  };
  struct Question {
    std::string what;  // empty: the hello
    std::promise<Json> answer;
    Clock::time_point askedAt{};
  };

  // -- callers

  Json ask(const std::string& what) {
    Question question{what, {}, {}};
    std::future<Json> answer = question.answer.get_future();
    {
      const std::lock_guard lock(mutex_);
      questions_.push_back(std::move(question));
    }
    wake_.raise();
    return answer.get();
  }

  template <class Value>
  Value read(const char* what, Value (*readValue)(const Json&)) {
    const Json answer = ask(what);
    try {
      return readValue(answer);
    } catch (const ProtocolError& error) {
      throw EngineDied(fmt::format("The engine's answer cannot be read: {}", error.what()));
    }
  }

  // -- the keeper: one thread that starts the engine, reads it, and notices its end. It lives as long as this
  // object, which the child's life hangs on.

  void keep() {
    while (true) {
      wake_.clear();
      bool needed = wanted_;
      {
        const std::lock_guard lock(mutex_);
        if (ending_ && !job_) break;
        needed = needed || job_ || !questions_.empty();
      }
      try {
        if (cancelledBeforeItWasSent()) continue;
        if (needed && !connection_) connection_.emplace(words_);
        if (connection_) {
          converse();
        } else {
          pollfd wait{wake_.descriptor(), POLLIN, 0};
          poll(&wait, 1, -1);
        }
      } catch (const GiveUp& reason) {
        lose(reason.how, false);
      } catch (const ProtocolError& error) {
        lose(fmt::format("broke the protocol ({}) and was ended", error.what()), false);
      } catch (const EngineDied& error) {
        fail(error.info());  // it could not even be started
      }
    }
    if (connection_) connection_->close(kGoodbye);
    for (Question& question : questions_)
      question.answer.set_exception(std::make_exception_ptr(EngineDied("The engine was given up")));
  }

  void converse() {
    if (connection_->engine()) sayWhatWaits();
    const bool open = connection_->listen(wake_.descriptor(), isBusy() ? kLook : kIdleLook,
                                          [this](const Json& m) { take(m); });
    if (!open) {
      lose({}, true);
      return;
    }
    requireAlive();
  }

  bool isBusy() {
    const std::lock_guard lock(mutex_);
    return job_ || !questions_.empty() || !asked_.empty() || !connection_->engine();
  }

  void sayWhatWaits() {
    std::deque<Question> questions;
    std::optional<Job> job;
    bool stop = false;
    {
      const std::lock_guard lock(mutex_);
      questions.swap(questions_);
      if (job_ && !mirror_) job = job_->job;
      stop = job_ && job_->stopAt && !stopSaid_;
    }
    for (Question& question : questions) {
      if (question.what.empty()) {
        question.answer.set_value(toJson(*connection_->engine()));
        continue;
      }
      question.askedAt = Clock::now();
      connection_->say({{"type", "ask"}, {"id", nextId_}, {"what", question.what}});
      asked_.emplace(nextId_++, std::move(question));
    }
    if (job) {
      mirror_.emplace();
      connection_->say({{"type", "start"}, {"job", toJson(*job)}});
    }
    if (stop && mirror_) {
      stopSaid_ = true;
      connection_->say({{"type", "stop"}});
    }
  }

  void take(const Json& message) {
    const Fields of(message, "A message");
    const std::string& type = of.text("type");
    if (type == "hello") {
      if (const std::string why = whyNotTogether(*connection_->engine(), ownHello()); !why.empty())
        throw EngineDied(why, "Install the same version on both sides.");
      wanted_ = false;
    } else if (type == "answer" || type == "refused") {
      const auto found = asked_.find(of.integer<std::uint64_t>("id"));
      if (found == asked_.end()) throw ProtocolError("an answer that nobody asked for");
      if (type == "answer")
        found->second.answer.set_value(of.at("value"));
      else
        found->second.answer.set_exception(std::make_exception_ptr(Error(errorFrom(of.at("error")))));
      asked_.erase(found);
    } else if (mirror_) {
      if (const auto event = mirror_->take(message)) deliver(*event);
    } else if (type != "alive") {
      throw ProtocolError(fmt::format("the message \"{}\" without a job", type.substr(0, 40)));
    }
  }

  void deliver(const EngineEvent& event) {
    EngineHandler handler;
    {
      const std::lock_guard lock(mutex_);
      handler = job_->handler;
    }
    handler(event);
    if (!std::holds_alternative<JobFinished>(event) && !std::holds_alternative<JobFailed>(event)) return;
    mirror_.reset();
    stopSaid_ = false;
    deaths_ = 0;
    {
      const std::lock_guard lock(mutex_);
      job_.reset();
    }
    idle_.notify_all();
  }

  void requireAlive() {
    if (!connection_->engine()) {
      if (connection_->age() > limits_.hello)
        throw GiveUp{fmt::format("did not answer within {} and was ended", textOfTime(limits_.hello))};
      return;
    }
    if (stopIsOverdue())
      throw GiveUp{fmt::format("did not stop within {} and was ended", textOfTime(limits_.stop))};
    if (connection_->silence() > limits_.silence)
      throw GiveUp{fmt::format("gave no sign of life for {} and was ended", textOfTime(limits_.silence))};
    if (limits_.still.count() == 0) return;
    if (mirror_ && mirror_->still() > limits_.still)
      throw GiveUp{fmt::format("made no progress for {} and was ended", textOfTime(limits_.still))};
    for (const auto& [id, question] : asked_)
      if (!mirror_ && Clock::now() - question.askedAt > limits_.still)
        throw GiveUp{fmt::format("did not say its {} within {} and was ended", question.what,
                                 textOfTime(limits_.still))};
  }

  bool stopIsOverdue() {
    const std::lock_guard lock(mutex_);
    return job_ && job_->stopAt && Clock::now() - *job_->stopAt > limits_.stop;
  }

  // -- ends

  // A stop that comes before the engine has the job needs no engine.
  bool cancelledBeforeItWasSent() {
    {
      const std::lock_guard lock(mutex_);
      if (!job_ || !job_->stopAt || mirror_) return false;
    }
    deliver(JobFailed{{ErrorCode::Cancelled, "The measurement was stopped", {}, {}}, nullptr});
    return true;
  }

  bool hasJob() {
    const std::lock_guard lock(mutex_);
    return job_.has_value();
  }

  // Of the job nothing was told: it was not given to the engine yet, or the engine ended before it began.
  bool isUntold() const { return !mirror_ || !mirror_->started(); }

  // The connection is of no use any more. `byItself`: the engine ended, nobody ended it.
  void lose(const std::string& how, bool byItself) {
    Death death;
    death.greeted = connection_->engine().has_value();
    death.inJob = mirror_.has_value();
    if (mirror_) death.progress = mirror_->progress();
    const std::string status = connection_->close(byItself ? milliseconds(500) : milliseconds(0));
    death.how = how.empty() ? status : how;
    death.log = connection_->log();
    if (!death.greeted) death.stray = connection_->strayOutput();
    connection_.reset();
    wanted_ = death.greeted && death.inJob;  // so that the next job finds it ready
    if (byItself && death.greeted && (!hasJob() || (isUntold() && ++deaths_ < kDeathsOfOneJob))) {
      mirror_.reset();  // it had told nothing yet: the job is given to the next, as is what was not yet asked
      stopSaid_ = false;
      failAsked(describeDeath(words_, death));
      return;
    }
    death.count = std::max(1, deaths_);
    fail(describeDeath(words_, death));
  }

  // Whoever waits for the engine hears why it is gone.
  void fail(const ErrorInfo& why) {
    connection_.reset();
    failQuestions(why);
    ErrorInfo reason = why;
    {
      const std::lock_guard lock(mutex_);
      if (!job_) {
        wanted_ = false;
        return;
      }
      if (job_->stopAt)
        reason = {ErrorCode::Cancelled, "The measurement was stopped; " + why.message, {}, {}};
    }
    deliver(mirror_ ? mirror_->broken(reason) : JobFailed{reason, nullptr});
  }

  void failQuestions(const ErrorInfo& why) {
    failAsked(why);
    std::deque<Question> questions;
    {
      const std::lock_guard lock(mutex_);
      questions.swap(questions_);
    }
    for (Question& question : questions)
      question.answer.set_exception(std::make_exception_ptr(EngineDied(why.message, why.remedy)));
  }

  void failAsked(const ErrorInfo& why) {
    for (auto& [id, question] : asked_)
      question.answer.set_exception(std::make_exception_ptr(EngineDied(why.message, why.remedy)));
    asked_.clear();
  }

  const std::vector<std::string> words_;
  const EngineLimits limits_;
  WakeUp wake_;

  std::mutex mutex_;
  std::condition_variable idle_;
  bool ending_ = false;
  std::optional<Waiting> job_;
  std::deque<Question> questions_;  // not yet asked

  // The keeper's alone.
  std::optional<Connection> connection_;
  std::optional<JobMirror> mirror_;  // of the job, once the engine has it
  std::map<std::uint64_t, Question> asked_;
  std::uint64_t nextId_ = 1;
  bool stopSaid_ = false;
  bool wanted_ = false;  // to be started although nobody waits for it
  int deaths_ = 0;       // in a row, of the job

  std::thread keeper_;  // last: it uses everything above
};

}  // namespace

std::unique_ptr<RemoteEngine> makeRemoteEngine(const std::vector<std::string>& words,
                                               const EngineLimits& limits) {
  return std::make_unique<Remote>(words, limits);
}

}  // namespace opscope
