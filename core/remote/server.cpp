// SPDX-License-Identifier: Apache-2.0
#include "remote/server.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "remote/pipe.h"
#include "remote/records.h"
#include "remote/values.h"
#include "session/pack.h"

namespace opscope::remote {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kHeartbeat{500};
// Progress inside a phase; a new phase is told at once.
constexpr milliseconds kProgressEvery{100};
constexpr std::size_t kRequestsReadAtOnce = 64 << 10;
constexpr std::size_t kWrittenAtOnce = 64 << 10;
// A client asks one thing at a time, or few.
constexpr std::size_t kQuestionsWaiting = 16;

class Server {
 public:
  Server(Engine& engine, int in, int out, const ServeOptions& options)
      : engine_(engine), in_(in), out_(out), options_(options) {}

  int run() {
    send({{"type", "hello"}, {"hello", toJson(ownHello())}});
    std::jthread pulse([this](const std::stop_token& stop) { pulseLoop(stop); });
    std::jthread desk([this](const std::stop_token& stop) { answerLoop(stop); });
    const int code = listen();
    if (options_.onEnd) options_.onEnd();
    silent_ = true;  // nobody is there to be told
    engine_.stop();
    engine_.wait();
    return code;
  }

 private:
  void log(const std::string& sentence) {
    if (options_.log) options_.log(sentence);
  }

  // -- what comes in, on the thread that called serve()

  int listen() {
    FrameDecoder decoder;
    Bytes bytes;
    try {
      while (true) {
        std::array<pollfd, 2> wait{{{in_, POLLIN, 0}, {wake_.descriptor(), POLLIN, 0}}};
        if (poll(wait.data(), wait.size(), -1) < 0 && errno != EINTR) return kServed;
        if (wait[1].revents != 0) return deviceLost_ ? kLostDevice : kServed;
        if (wait[0].revents == 0) continue;
        bytes.clear();
        if (!readSome(in_, bytes, kRequestsReadAtOnce)) {
          if (decoder.pending() > 0) log("The connection ended in the middle of a message");
          return kServed;
        }
        decoder.add(bytes);
        while (const auto payload = decoder.next())
          if (!take(decode(*payload))) return kServed;
      }
    } catch (const ProtocolError& error) {
      log(fmt::format("What came is not Opscope's protocol: {}", error.what()));
      return kNotTheProtocol;
    }
  }

  // False when the client says goodbye.
  bool take(const Json& message) {
    const Fields of(message, "A message");
    const std::string& type = of.text("type");
    if (!greeted_) {
      if (type != "hello") throw ProtocolError("the first message is no hello");
      greet(helloFrom(of.at("hello")));
    } else if (type == "start") {
      start(jobFrom(of.at("job")));
    } else if (type == "stop") {
      engine_.stop();
    } else if (type == "ask") {
      ask({of.integer<std::uint64_t>("id"), of.text("what")});
    } else if (type == "bye") {
      return false;
    } else {
      throw ProtocolError(fmt::format("there is no message \"{}\"", type.substr(0, 40)));
    }
    return true;
  }

  void greet(const Hello& client) {
    if (const std::string why = whyNotTogether(ownHello(), client); !why.empty())
      throw ProtocolError(why + ": both must be the same version");
    greeted_ = true;
  }

  void start(const Job& job) {
    try {
      {
        // From here on, not from the first event: a driver that hangs while the device is opened hangs the
        // job.
        const std::lock_guard lock(progressMutex_);
        if (running_) throw BadInput("A measurement is running", "Wait for it, or stop it.");
        running_ = true;
        lastProgress_ = Clock::now();
        latest_ = {};
      }
      engine_.wait();  // the job before has told its end, and may not have returned from telling it
      engine_.start(job, [this](const EngineEvent& event) { tell(event); });
    } catch (...) {
      send({{"type", "failed"}, {"error", toJson(currentErrorInfo())}});
    }
  }

  // -- questions, on a thread of their own: they wait for the engine, and a stop must not wait for them

  struct Question {
    std::uint64_t id = 0;
    std::string what;
  };

  void ask(Question question) {
    if (question.what != "catalogue" && question.what != "devices" && question.what != "diagnose")
      throw ProtocolError(fmt::format("there is nothing to ask called \"{}\"", question.what.substr(0, 40)));
    const std::lock_guard lock(questionsMutex_);
    if (questions_.size() == kQuestionsWaiting) throw ProtocolError("too many questions wait");
    questions_.push_back(std::move(question));
    asked_.notify_one();
  }

  void answerLoop(const std::stop_token& stop) {
    for (;;) {
      Question question;
      {
        std::unique_lock lock(questionsMutex_);
        if (!asked_.wait(lock, stop, [this] { return !questions_.empty(); })) return;
        question = std::move(questions_.front());
        questions_.pop_front();
      }
      try {
        send({{"type", "answer"}, {"id", question.id}, {"value", answerTo(question.what)}});
      } catch (...) {
        send({{"type", "refused"}, {"id", question.id}, {"error", toJson(currentErrorInfo())}});
      }
    }
  }

  Json answerTo(const std::string& what) {
    if (what == "catalogue") return toJson(engine_.catalogue());
    if (what == "devices") return toJson(engine_.devices());
    return toJson(engine_.diagnose());
  }

  // -- what goes out, from any thread

  void send(const Json& message) {
    if (silent_) return;
    const Bytes frame = frameOf(encode(message));
    const std::lock_guard lock(outMutex_);
    write(frame);
  }

  // With outMutex_ held.
  void write(const Bytes& frame) {
    if (silent_) return;
    if (writeAll(out_, frame, milliseconds(-1))) return;
    silent_ = true;
    wake_.raise();
  }

  // On the engine's thread, between passes: a slow reader makes the job wait here, and nothing is queued.
  void tell(const EngineEvent& event) {
    std::visit([this](const auto& what) { tell(what); }, event);
  }
  void tell(const JobStarted& started) {
    noteProgress();
    send({{"type", "started"}, {"run", bytesOf(packRun(*started.run))}});
  }
  void tell(const JobPrepared& prepared) {
    send({{"type", "prepared"}, {"run", bytesOf(packRun(*prepared.run))}});
  }
  void tell(const JobProgress& update) {
    const Progress& progress = update.progress;
    {
      const std::lock_guard lock(progressMutex_);
      const bool within = progress.phase == latest_.phase && progress.pass == latest_.pass &&
                          progress.implementation == latest_.implementation;
      lastProgress_ = Clock::now();
      latest_ = progress;
      news_ = within;  // the pulse tells it, so that no iteration waits for a pipe
      if (within) return;
    }
    send({{"type", "progress"}, {"progress", toJson(progress)}});
  }
  void tell(const PassFinished& finished) {
    sendOnce(finished.pass);
    noteProgress();
  }
  void tell(const BlockRestarted& restarted) {
    std::erase_if(sent_, [&](const auto& sent) { return sent.first->block == restarted.block; });
    send({{"type", "void"}, {"block", restarted.block}});
  }
  void tell(const JobFinished& finished) { end({{"type", "finished"}}, finished.run); }
  void tell(const JobFailed& failed) {
    end({{"type", "failed"}, {"error", toJson(failed.error)}}, failed.run);
    if (failed.error.code != ErrorCode::DeviceLost) return;
    log("The device is lost, and nothing works on it in this process any more: " + describe(failed.error));
    deviceLost_ = true;
    wake_.raise();
  }

  void noteProgress() {
    const std::lock_guard lock(progressMutex_);
    lastProgress_ = Clock::now();
  }

  std::uint32_t sendOnce(const std::shared_ptr<const Pass>& pass) {
    const auto [at, fresh] = sent_.try_emplace(pass, nextPass_);
    if (fresh) sendAll(*pass, nextPass_++);
    return at->second;
  }

  // A small pass is a dozen small frames: written as one, the reader is woken once and not at each.
  void sendAll(const Pass& pass, std::uint32_t id) {
    if (silent_) return;
    Bytes frames;
    const auto flush = [&] {
      const std::lock_guard lock(outMutex_);
      write(frames);
      frames.clear();
    };
    sendPass(pass, id, [&](const Json& message) {
      const Bytes frame = frameOf(encode(message));
      frames.insert(frames.end(), frame.begin(), frame.end());
      if (frames.size() >= kWrittenAtOnce) flush();
    });
    if (!frames.empty()) flush();
  }

  void end(Json message, const std::shared_ptr<const Run>& run) {
    {
      const std::lock_guard lock(progressMutex_);
      running_ = false;
      news_ = false;
    }
    if (run) {
      Json ids = Json::array();
      for (const auto* passes : {&run->passes, &run->controls})
        for (const auto& pass : *passes) ids.push_back(sendOnce(pass));
      message["passes"] = std::move(ids);
      message["run"] = bytesOf(packRun(*run));
    }
    sent_.clear();
    send(message);
  }

  void pulseLoop(const std::stop_token& stop) {
    auto nextBeat = Clock::now() + kHeartbeat;
    std::unique_lock lock(progressMutex_);
    while (!stop.stop_requested()) {
      pulse_.wait_for(lock, stop, kProgressEvery, [] { return false; });
      if (stop.stop_requested()) return;
      const bool beat = Clock::now() >= nextBeat;
      if (!news_ && !beat) continue;
      // Written with the lock held: what was news must not be told after the end of its job.
      const Json message = beat ? heartbeat() : Json{{"type", "progress"}, {"progress", toJson(latest_)}};
      news_ = false;
      if (beat) nextBeat = Clock::now() + kHeartbeat;
      send(message);
    }
  }

  // With progressMutex_ held.
  Json heartbeat() const {
    Json message{{"type", "alive"}};
    if (!running_) return message;
    message["progress"] = toJson(latest_);
    message["still_ns"] = std::chrono::nanoseconds(Clock::now() - lastProgress_).count();
    return message;
  }

  Engine& engine_;
  int in_;
  int out_;
  const ServeOptions& options_;
  WakeUp wake_;
  bool greeted_ = false;
  std::atomic<bool> silent_ = false;
  std::atomic<bool> deviceLost_ = false;
  std::mutex outMutex_;

  std::mutex progressMutex_;
  std::condition_variable_any pulse_;
  bool running_ = false;
  bool news_ = false;
  Progress latest_;
  Clock::time_point lastProgress_;

  std::mutex questionsMutex_;
  std::condition_variable_any asked_;
  std::deque<Question> questions_;

  // On the engine's thread only. Holding the passes keeps a new one from having the address of an old one.
  std::unordered_map<std::shared_ptr<const Pass>, std::uint32_t> sent_;
  std::uint32_t nextPass_ = 0;
};

}  // namespace

int serve(Engine& engine, int in, int out, const ServeOptions& options) {
  return Server(engine, in, out, options).run();
}

}  // namespace opscope::remote
