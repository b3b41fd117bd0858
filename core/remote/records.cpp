// SPDX-License-Identifier: Apache-2.0
#include "remote/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

#include "remote/pass_values.h"
#include "timing/pass.h"

namespace opscope::remote {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are copied as they lie in memory");

// Visits the members of a record that travel, by name. The structured binding names all members there are, so
// that a new one does not compile before it is listed.
template <class Visit>
void visitMembers(const KernelRecord& r, Visit visit) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i, j] = r;
  visit("start", &KernelRecord::start);
  visit("end", &KernelRecord::end);
  visit("queued", &KernelRecord::queued);
  visit("graph_node", &KernelRecord::graphNodeId);
  visit("correlation", &KernelRecord::correlationId);
  visit("name", &KernelRecord::nameId);
  visit("shape", &KernelRecord::shapeId);
  visit("stream", &KernelRecord::streamId);
  visit("graph", &KernelRecord::graphId);
  visit("device", &KernelRecord::deviceId);
}
template <class Visit>
void visitMembers(const MemopRecord& r, Visit visit) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h] = r;
  visit("start", &MemopRecord::start);
  visit("end", &MemopRecord::end);
  visit("bytes", &MemopRecord::bytes);
  visit("correlation", &MemopRecord::correlationId);
  visit("stream", &MemopRecord::streamId);
  visit("graph", &MemopRecord::graphId);
  visit("device", &MemopRecord::deviceId);
  visit("kind_of", &MemopRecord::kind);
}
template <class Visit>
void visitMembers(const LaunchRecord& r, Visit visit) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f] = r;
  visit("start", &LaunchRecord::start);
  visit("end", &LaunchRecord::end);
  visit("correlation", &LaunchRecord::correlationId);
  visit("thread", &LaunchRecord::threadId);
  visit("api_name", &LaunchRecord::apiNameId);
  visit("kind_of", &LaunchRecord::kind);
}
template <class Visit>
void visitMembers(const OverheadRecord& r, Visit visit) {
  [[maybe_unused]] const auto& [a, b, c, d] = r;
  visit("start", &OverheadRecord::start);
  visit("end", &OverheadRecord::end);
  visit("name", &OverheadRecord::nameId);
  visit("thread", &OverheadRecord::threadId);
}
template <class Visit>
void visitMembers(const RangeRecord& r, Visit visit) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f, g] = r;
  visit("start", &RangeRecord::start);
  visit("end", &RangeRecord::end);
  visit("name", &RangeRecord::nameId);
  visit("domain", &RangeRecord::domainId);
  visit("thread", &RangeRecord::threadId);
  visit("kind_of", &RangeRecord::kind);
  visit("known", &RangeRecord::known);
}
template <class Visit>
void visitMembers(const ExternalIdRecord& r, Visit visit) {
  [[maybe_unused]] const auto& [a, b] = r;
  visit("external", &ExternalIdRecord::externalId);
  visit("correlation", &ExternalIdRecord::correlationId);
}
template <class Visit>
void visitMembers(const LaunchShape& r, Visit visit) {
  [[maybe_unused]] const auto& [a, b, c, d, e, f, g, h, i] = r;
  visit("grid_x", &LaunchShape::gridX);
  visit("grid_y", &LaunchShape::gridY);
  visit("grid_z", &LaunchShape::gridZ);
  visit("block_x", &LaunchShape::blockX);
  visit("block_y", &LaunchShape::blockY);
  visit("block_z", &LaunchShape::blockZ);
  visit("registers", &LaunchShape::registersPerThread);
  visit("static_shared", &LaunchShape::staticSharedBytes);
  visit("dynamic_shared", &LaunchShape::dynamicSharedBytes);
}
template <class Visit>
void visitMembers(const IterationMark& r, Visit visit) {
  [[maybe_unused]] const auto& [a, b, c] = r;
  visit("called", &IterationMark::called);
  visit("issued", &IterationMark::issued);
  visit("drained", &IterationMark::drained);
}
template <class Visit>
void visitMembers(const PingMark& r, Visit visit) {
  [[maybe_unused]] const auto& [a, b] = r;
  visit("seen_running", &PingMark::seenRunning);
  visit("released", &PingMark::released);
}

// The arrays of a trace, by the name that a message carries.
template <class SomeTrace, class Visit>
void visitArrays(SomeTrace& trace, Visit visit) {
  visit("shapes", trace.shapes);
  visit("kernels", trace.kernels);
  visit("memops", trace.memops);
  visit("launches", trace.launches);
  visit("overheads", trace.overheads);
  visit("ranges", trace.ranges);
  visit("external_ids", trace.externalIds);
  visit("iterations", trace.iterations);
  visit("pings", trace.pings);
}

template <class Record, class Value>
Bytes columnOf(std::span<const Record> records, Value Record::* member) {
  Bytes column(records.size() * sizeof(Value));
  std::uint8_t* to = column.data();
  for (const Record& record : records) {
    std::memcpy(to, &(record.*member), sizeof(Value));
    to += sizeof(Value);
  }
  return column;
}

template <class Record, class Value>
void readColumn(const Bytes& column, std::span<Record> records, Value Record::* member) {
  const std::uint8_t* from = column.data();
  for (Record& record : records) {
    std::memcpy(&(record.*member), from, sizeof(Value));
    from += sizeof(Value);
  }
}

template <class Record>
void appendColumns(const Json& message, std::size_t count, std::vector<Record>& records) {
  const Fields of(message, "Records");
  // Before anything is made room for, the bytes must be there.
  visitMembers(Record{}, [&]<class Value>(const char* name, Value Record::*) {
    if (of.bytes(name).size() != count * sizeof(Value)) of.wrong(name, "is not as long as the count says");
  });
  const std::size_t before = records.size();
  records.resize(before + count);
  const std::span<Record> added = std::span(records).subspan(before);
  visitMembers(Record{}, [&]<class Value>(const char* name, Value Record::* member) {
    readColumn(of.bytes(name), added, member);
  });
}

// The stretch of time that the instants of a pass span. Judging adds lengths up, in 64 bits: instants from
// one end of them to the other would overflow. No pass takes days, and no clock counts in centuries.
class Stretch {
 public:
  void add(Ns instant) {
    if (instant == 0) return;  // the device gave none
    low_ = std::min(low_, instant);
    high_ = std::max(high_, instant);
  }
  bool isSane() const {
    constexpr Ns kFar = Ns{1} << 61, kLongest = Ns{1} << 48;
    return low_ > high_ || (low_ > -kFar && high_ < kFar && high_ - low_ <= kLongest);
  }

 private:
  Ns low_ = std::numeric_limits<Ns>::max();
  Ns high_ = std::numeric_limits<Ns>::min();
};

void requireSaneInstants(const Trace& trace) {
  Stretch stretch;
  const auto addAll = [&stretch](const auto& records) {
    for (const auto& record : records) {
      stretch.add(record.start);
      stretch.add(record.end);
    }
  };
  addAll(trace.kernels);
  addAll(trace.memops);
  addAll(trace.launches);
  addAll(trace.overheads);
  addAll(trace.ranges);
  for (const KernelRecord& kernel : trace.kernels) stretch.add(kernel.queued);
  for (const IterationMark& mark : trace.iterations)
    for (const Ns instant : {mark.called, mark.issued, mark.drained}) stretch.add(instant);
  for (const PingMark& ping : trace.pings)
    for (const Ns instant : {ping.seenRunning, ping.released}) stretch.add(instant);
  if (!stretch.isSane()) throw ProtocolError("The instants of a pass lie days apart");
}

// What a view will use as an index must lie inside what it indexes.
void requireSound(const Trace& trace) {
  const auto require = [](bool holds, const char* what) {
    if (!holds) throw ProtocolError(what);
  };
  const std::size_t names = trace.names.size();
  for (const KernelRecord& k : trace.kernels)
    require(k.nameId < names && k.shapeId < trace.shapes.size(), "A kernel without a name or launch shape");
  for (const MemopRecord& m : trace.memops) require(m.kind <= MemopKind::Other, "A copy of no known kind");
  for (const LaunchRecord& l : trace.launches)
    require(l.apiNameId < names && l.kind <= LaunchKind::Other,
            "A launch without a name, or of no known kind");
  for (const OverheadRecord& o : trace.overheads) require(o.nameId < names, "An overhead without a name");
  for (const RangeRecord& r : trace.ranges)
    require(r.nameId < names && r.domainId < names && r.kind <= RangeKind::Mark && r.known <= RangeKnown::End,
            "A range without a name, or of no known kind");
  requireSaneInstants(trace);
}

Ns busyOf(const Pass& pass) {
  return std::accumulate(pass.samples.begin(), pass.samples.end(), Ns{0},
                         [](Ns sum, const Sample& sample) { return sum + sample.busy; });
}

}  // namespace

void sendPass(const Pass& pass, std::uint32_t id, const std::function<void(const Json&)>& send) {
  send({{"type", "pass"}, {"id", id}, {"header", headerOf(pass)}});
  visitArrays(pass.trace, [&]<class Record>(const char* kind, const std::vector<Record>& records) {
    for (std::size_t at = 0; at < records.size(); at += kRecordsPerMessage) {
      const auto part = std::span(records).subspan(at, std::min(kRecordsPerMessage, records.size() - at));
      Json message{{"type", "records"}, {"id", id}, {"kind", kind}, {"count", part.size()}};
      visitMembers(Record{}, [&]<class Value>(const char* name, Value Record::* member) {
        message[name] = bytesOf(columnOf(part, member));
      });
      send(message);
    }
  });
  send({{"type", "pass_end"},
        {"id", id},
        {"samples", pass.samples.size()},
        {"gaps", pass.gaps.size()},
        {"busy_ns", busyOf(pass)}});
}

void PassReceiver::begin(const Json& message) {
  if (pass_) throw ProtocolError("A pass begins inside another");
  const Fields of(message, "A pass");
  id_ = of.integer<std::uint32_t>("id");
  pass_ = passFrom(of.map("header"));
}

Pass& PassReceiver::requireOpen(const Json& message) {
  const Fields of(message, "Records");
  if (!pass_ || of.integer<std::uint32_t>("id") != id_)
    throw ProtocolError("Records of no pass that has begun");
  return *pass_;
}

void PassReceiver::addRecords(const Json& message) {
  Pass& pass = requireOpen(message);
  const Fields of(message, "Records");
  const std::string& wanted = of.text("kind");
  const auto count = of.integer<std::size_t>("count");
  if (count > kRecordsPerMessage) of.wrong("count", "is over the limit");
  bool known = false;
  visitArrays(pass.trace, [&](const char* kind, auto& records) {
    if (wanted != kind) return;
    appendColumns(message, count, records);
    known = true;
  });
  if (!known) of.wrong("kind", "is unknown");
}

PassReceiver::Received PassReceiver::end(const Json& message) {
  Pass& pass = requireOpen(message);
  requireSound(pass.trace);
  const std::optional<ErrorInfo> said = pass.failure;
  judge(pass);
  const Fields of(message, "The end of a pass");
  if (said && !pass.failure) {
    // Something other than the records took the number away: a hold that ended too early, for one.
    pass.samples.clear();
    pass.gaps.clear();
  }
  if (pass.samples.size() != of.integer<std::size_t>("samples") ||
      pass.gaps.size() != of.integer<std::size_t>("gaps") || busyOf(pass) != of.integer<Ns>("busy_ns"))
    throw ProtocolError(
        fmt::format("The engine judges pass {} differently than this program does", pass.pass + 1));
  pass.failure = said;
  Received received{id_, std::make_shared<const Pass>(std::move(pass))};
  pass_.reset();
  return received;
}

}  // namespace opscope::remote
