// SPDX-License-Identifier: Apache-2.0
#include "device/range_tap.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>
#include <system_error>

#include "base/error.h"
#include "trace/ranges.h"

namespace opscope {
namespace {

constexpr const char* kVariable = "NVTX_INJECTION64_PATH";

std::filesystem::path namedLibrary() {
  const char* const named = std::getenv(kVariable);
  return named != nullptr ? named : "";
}

// The library that NVTX was given, when it is ours. By the same path NVTX and this program get the same copy.
struct Library {
  OpscopeTapStart start = nullptr;
  OpscopeTapStop stop = nullptr;
  std::string why;  // not; empty when it is there

  Library() {
    const std::filesystem::path file = namedLibrary();
    if (file.filename() != kTapFile) return;
    // Never closed: NVTX keeps pointers into it.
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      const char* reason = ::dlerror();
      why = reason != nullptr ? reason : "no reason given";
      return;
    }
    start = reinterpret_cast<OpscopeTapStart>(::dlsym(library, kTapStart));
    stop = reinterpret_cast<OpscopeTapStop>(::dlsym(library, kTapStop));
    if (start == nullptr || stop == nullptr) why = file.string() + " belongs to another build of Opscope";
  }
  bool usable() const { return start != nullptr && stop != nullptr; }
};

const Library& library() {
  static const Library one;
  return one;
}

// What the texts of a recording point to is few strings: each is interned once, by its address.
struct Reader {
  Trace& trace;
  std::vector<RangeEvent> events{};
  std::map<const char*, std::uint32_t> ids{};
  bool outOfMemory = false;

  std::uint32_t idOf(const char* text) {
    const auto [at, fresh] = ids.try_emplace(text);
    if (fresh) at->second = trace.names.intern(text);
    return at->second;
  }
  void add(const OpscopeTapEvent& event) {
    constexpr std::array kWhats{RangeEvent::What::Push, RangeEvent::What::Pop, RangeEvent::What::Start,
                                RangeEvent::What::End, RangeEvent::What::Mark};
    if (event.kind >= kWhats.size()) return;
    events.push_back({.what = kWhats[event.kind],
                      .at = event.at,
                      .handle = event.handle,
                      .nameId = idOf(event.name),
                      .domainId = idOf(event.domain),
                      .threadId = event.thread});
  }
};

}  // namespace

void offerRangeTap(const std::vector<std::filesystem::path>& folders) {
  if (std::getenv(kVariable) != nullptr) return;
  for (const auto& folder : folders) {
    std::error_code ignored;
    const auto file = std::filesystem::absolute(folder / kTapFile, ignored);
    if (!std::filesystem::exists(file, ignored)) continue;
    ::setenv(kVariable, file.c_str(), 0);
    return;
  }
}

Check rangeTapCheck() {
  const std::string subject = "NVTX ranges";
  const std::filesystem::path named = namedLibrary();
  if (named.empty())
    return {Check::State::Info, subject,
            fmt::format("Not recorded: {} was not found, or {} was not set when this program started.",
                        kTapFile, kVariable),
            "Build Opscope where NVTX's headers are: they come with the CUDA toolkit."};
  if (named.filename() != kTapFile)
    return {Check::State::Info, subject,
            fmt::format("Not recorded: {} names another tool, {}.", kVariable, named.string()),
            "Start this program without that tool to have the ranges of an op in its timeline."};
  if (!library().usable())
    return {Check::State::Warning, subject, fmt::format("Not recorded: {}.", library().why),
            "Install program and library from the same build."};
  return {Check::State::Ok, subject, "What an op marks by NVTX is recorded.", ""};
}

void RangeTap::start(const OpscopeTapClock& clock) {
  discard();
  recording_ = library().usable() && library().start(&clock) != 0;
}

void RangeTap::stop(Trace& into) {
  if (!recording_) return;
  recording_ = false;
  Reader reader{into};
  const bool whole = library().stop(
                         [](void* context, const OpscopeTapEvent* event) {
                           auto& to = *static_cast<Reader*>(context);
                           try {
                             to.add(*event);
                           } catch (...) {
                             to.outOfMemory = true;  // an exception must not enter the library
                           }
                         },
                         &reader) != 0;
  if (!whole || reader.outOfMemory)
    throw OutOfMemory("The program ran out of host memory for the ranges that the op marks",
                      "Measure fewer iterations at a time, or mark less.");
  if (!reader.events.empty()) into.ranges = rangesOf(reader.events, into.names.intern(""));
}

void RangeTap::discard() noexcept {
  if (!recording_) return;
  recording_ = false;
  library().stop([](void*, const OpscopeTapEvent*) {}, nullptr);
}

}  // namespace opscope
