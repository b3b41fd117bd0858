// SPDX-License-Identifier: Apache-2.0
#include "engine/event_mailbox.h"

#include <catch2/catch_test_macros.hpp>
#include <condition_variable>
#include <memory>
#include <thread>
#include <vector>

using namespace opscope;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

using Time = EventMailbox::Clock::time_point;

EngineEvent progressOf(std::uint32_t iteration, Phase phase = Phase::Measure) {
  return JobProgress{{.phase = phase, .iteration = iteration}};
}

// A loop as a window's: wake() from any thread is one turn of it, which may ask for another.
class Loop {
 public:
  void wake() {
    const std::scoped_lock lock(mutex_);
    ++turns_;
    woken_.notify_one();
  }
  // False when nobody has asked for a turn for so long that nobody will.
  bool turn() {
    std::unique_lock lock(mutex_);
    if (!woken_.wait_for(lock, seconds(60), [this] { return turns_ > 0; })) return false;
    --turns_;
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  std::size_t turns_ = 0;
};

}  // namespace

TEST_CASE("a mailbox wakes once for what waits, and gives it in order, one at a time") {
  int wakes = 0;
  EventMailbox mailbox([&] { ++wakes; });
  CHECK_FALSE(mailbox.take().event);
  for (std::uint32_t block = 0; block < 3; ++block) mailbox.put(BlockRestarted{block});
  CHECK(wakes == 1);
  for (std::uint32_t block = 0; block < 3; ++block) {
    const auto delivery = mailbox.take();
    REQUIRE(delivery.event);
    CHECK(std::get<BlockRestarted>(*delivery.event).block == block);
    CHECK_FALSE(delivery.progress);
    CHECK(delivery.more == (block < 2));
  }
  // While more was said to wait, whoever takes comes by itself.
  mailbox.put(BlockRestarted{3});
  CHECK(wakes == 2);
  mailbox.put(BlockRestarted{4});
  CHECK(mailbox.take().more);
  mailbox.put(BlockRestarted{5});
  CHECK(wakes == 2);
  CHECK(mailbox.take().more);
  CHECK_FALSE(mailbox.take().more);
}

TEST_CASE("of progress the newest waits, and a flood of it wakes a few times in each interval") {
  int wakes = 0;
  EventMailbox mailbox([&] { ++wakes; });
  const Time start = EventMailbox::Clock::now();
  // A thousand in a second: at 0 ms, and each time that 100 ms have passed.
  int taken = 0;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const int before = wakes;
    mailbox.put(progressOf(i), start + milliseconds(i));
    if (wakes == before) continue;
    const auto delivery = mailbox.take();
    REQUIRE(delivery.progress);
    CHECK(delivery.progress->progress.iteration == i);
    CHECK_FALSE(delivery.more);
    ++taken;
  }
  CHECK(taken == 10);
  // What woke nobody is there for whoever comes for something else.
  mailbox.put(BlockRestarted{1}, start + milliseconds(1000));
  const auto delivery = mailbox.take();
  REQUIRE(delivery.progress);
  CHECK(delivery.progress->progress.iteration == 999);
  CHECK(delivery.event);
  CHECK_FALSE(mailbox.take().progress);
}

TEST_CASE("a new phase wakes sooner, but a burst of phases does not wake at each") {
  int wakes = 0;
  EventMailbox mailbox([&] { ++wakes; });
  const Time start = EventMailbox::Clock::now();
  const auto put = [&](int ms, Phase phase) {
    const int before = wakes;
    mailbox.put(progressOf(0, phase), start + milliseconds(ms));
    mailbox.take();
    return wakes > before;
  };
  CHECK(put(0, Phase::Prepare));
  CHECK_FALSE(put(10, Phase::Verify));  // sooner than a quarter of the interval
  CHECK(put(25, Phase::Verify));
  CHECK_FALSE(put(60, Phase::Verify));  // the same phase: the whole interval
  CHECK(put(125, Phase::Verify));
}

// Every event of eight threads arrives once, in the order of its thread, at a loop that turns only when it is
// woken: one wake-up that is lost leaves it waiting.
TEST_CASE("many threads put and one takes: nothing is lost, doubled or out of order") {
  constexpr std::uint32_t kThreads = 8, kEach = 5'000;
  Loop loop;
  EventMailbox mailbox([&] { loop.wake(); });
  // What a thread writes before it puts, whoever takes may read.
  std::vector<std::shared_ptr<Pass>> passes(kThreads);
  for (auto& pass : passes) pass = std::make_shared<Pass>();
  std::vector<std::jthread> threads;
  for (std::uint32_t thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      for (std::uint32_t i = 0; i < kEach; ++i) {
        mailbox.put(progressOf(i));
        if (i + 1 < kEach) {
          mailbox.put(BlockRestarted{thread * kEach + i});
        } else {
          passes[thread]->pass = thread;
          passes[thread]->samples.resize(100);
          mailbox.put(PassFinished{passes[thread]});
        }
      }
    });
  std::vector<std::uint32_t> next(kThreads, 0);
  std::uint32_t ended = 0, progress = 0;
  while (ended < kThreads) {
    REQUIRE(loop.turn());
    const auto delivery = mailbox.take();
    if (delivery.more) loop.wake();
    if (delivery.progress) ++progress;
    if (!delivery.event) continue;
    if (const auto* restarted = std::get_if<BlockRestarted>(&*delivery.event)) {
      const std::uint32_t thread = restarted->block / kEach;
      REQUIRE(restarted->block % kEach == next.at(thread));
      ++next[thread];
    } else {
      const Pass& pass = *std::get<PassFinished>(*delivery.event).pass;
      CHECK(pass.samples.size() == 100);
      CHECK(next.at(pass.pass) == kEach - 1);
      ++ended;
    }
  }
  CHECK(progress > 0);
  threads.clear();
  const auto rest = mailbox.take();
  CHECK_FALSE(rest.event);
  CHECK_FALSE(rest.more);
}

TEST_CASE("a mailbox that was closed wakes nobody, while threads still put") {
  for (int time = 0; time < 50; ++time) {
    // Gone as soon as close() has returned: whoever woke it then would touch what is no more.
    auto woken = std::make_unique<std::uint32_t>(0);
    EventMailbox mailbox([raw = woken.get()] { ++*raw; });
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          mailbox.put(BlockRestarted{});
          mailbox.put(progressOf(0));
        }
      });
    // Until the mailbox is in full use.
    for (int taken = 0; taken < 100;)
      if (mailbox.take().event) ++taken;
    mailbox.close();
    CHECK(*woken > 0);
    woken.reset();
    while (!mailbox.take().event) std::this_thread::yield();  // what is put can still be taken
  }
}

TEST_CASE("an engine under load hands every pass over to another thread") {
  const auto engine = makeLocalEngine();
  Job job;
  job.device = "host";
  job.op = "rms_norm";
  job.workload = "tiny";
  job.protocol.blocks = 8;
  job.protocol.iterations = 5;
  job.protocol.l2 = L2Mode::Warm;
  job.protocol.warmupBudget = kMillisecond;
  job.protocol.settleLimit = 0;
  Loop loop;
  const auto mailbox = std::make_shared<EventMailbox>([&] { loop.wake(); });
  engine->start(job, [mailbox](const EngineEvent& event) { mailbox->put(event); });
  std::vector<std::shared_ptr<const Pass>> passes;
  std::shared_ptr<const Run> run;
  bool started = false;
  while (!run) {
    REQUIRE(loop.turn());
    const auto delivery = mailbox->take();
    if (delivery.more) loop.wake();
    if (!delivery.event) continue;
    const EngineEvent& event = *delivery.event;
    if (std::holds_alternative<JobStarted>(event)) started = true;
    if (const auto* pass = std::get_if<PassFinished>(&event)) passes.push_back(pass->pass);
    if (const auto* block = std::get_if<BlockRestarted>(&event))
      std::erase_if(passes, [&](const auto& pass) { return pass->block == block->block; });
    REQUIRE_FALSE(std::holds_alternative<JobFailed>(event));
    if (const auto* finished = std::get_if<JobFinished>(&event)) run = finished->run;
  }
  mailbox->close();
  engine->wait();
  CHECK(started);
  CHECK(run->passes.size() >= 8);
  CHECK(passes == run->passes);
  for (const auto& pass : passes) CHECK_FALSE(pass->samples.empty());
}
