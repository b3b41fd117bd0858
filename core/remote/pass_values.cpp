// SPDX-License-Identifier: Apache-2.0
#include "remote/pass_values.h"

#include "base/error.h"
#include "remote/values.h"

namespace opscope::remote {
namespace {

template <class T>
Json orNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json sampleJson(const TelemetrySample& sample) {
  const auto& [at, smClockMhz, memoryClockMhz, temperatureC, powerMilliwatt, throttleReasons] = sample;
  return Json::array({at, orNull(smClockMhz), orNull(memoryClockMhz), orNull(temperatureC),
                      orNull(powerMilliwatt), orNull(throttleReasons)});
}

TelemetrySample telemetryFrom(const Fields& of, const Json& json) {
  if (!json.is_array() || json.size() != 6) of.wrong("telemetry", "has an entry that is no reading");
  const auto optional = [&]<class T>(std::optional<T>& into, std::size_t at) {
    if (!json[at].is_null()) into = of.integerOf<T>(json[at], "telemetry");
  };
  TelemetrySample sample;
  sample.at = of.integerOf<Ns>(json[0], "telemetry");
  optional(sample.smClockMhz, 1);
  optional(sample.memoryClockMhz, 2);
  optional(sample.temperatureC, 3);
  optional(sample.powerMilliwatt, 4);
  optional(sample.throttleReasons, 5);
  return sample;
}

Json useJson(const DeviceUse& use) {
  const auto& [processes, ownPid] = use;
  Json json{{"own_pid", orNull(ownPid)}, {"processes", Json::array()}};
  for (const DeviceProcess& process : processes) {
    const auto& [pid, smPercent, memoryBytes] = process;
    json["processes"].push_back(
        {{"pid", pid}, {"sm_percent", orNull(smPercent)}, {"memory_bytes", memoryBytes}});
  }
  return json;
}

DeviceUse useFrom(const Json& json) {
  const Fields of(json, "The use of a device");
  DeviceUse use;
  if (of.has("own_pid")) use.ownPid = of.integer<std::uint32_t>("own_pid");
  for (const Json& each : of.list("processes")) {
    const Fields p(each, "A process");
    DeviceProcess process;
    process.pid = p.integer<std::uint32_t>("pid");
    if (p.has("sm_percent")) process.smPercent = p.integer<int>("sm_percent");
    process.memoryBytes = p.integer<std::int64_t>("memory_bytes");
    use.processes.push_back(process);
  }
  return use;
}

}  // namespace

Json headerOf(const Pass& pass) {
  const auto& [block, number, position, implementation, method, l2, control, warmups, attempts, bufferBytes,
               startedUnixNs, finishedUnixNs, loopWall, trace, clock, telemetry, use, samples, gaps, failure,
               kept, figures] = pass;
  // Only a session keeps less of a pass; what is sent was just measured.
  if (kept != RecordsKept::All) throw InternalError("A pass without its records cannot be sent");
  Json json{{"block", block},
            {"pass", number},
            {"position", position},
            {"implementation", implementation},
            {"method", method},
            {"l2", l2},
            {"control", control},
            {"warmups", warmups},
            {"attempts", attempts},
            {"buffer_bytes", bufferBytes},
            {"started_unix_ns", startedUnixNs},
            {"finished_unix_ns", finishedUnixNs},
            {"loop_wall_ns", loopWall},
            {"one_clock", trace.oneClock},
            {"dropped", trace.dropped.records},
            {"drop_counter_proven", trace.dropped.proven},
            {"names", Json::array()},
            {"telemetry", Json::array()},
            {"use", use ? useJson(*use) : Json()},
            {"failure", failure ? toJson(*failure) : Json()}};
  for (std::uint32_t id = 0; id < trace.names.size(); ++id) json["names"].push_back(trace.names.text(id));
  for (const TelemetrySample& sample : telemetry) json["telemetry"].push_back(sampleJson(sample));
  return json;
}

Pass passFrom(const Json& header) {
  const Fields of(header, "A pass");
  Pass pass;
  pass.block = of.integer<std::uint32_t>("block");
  pass.pass = of.integer<std::uint32_t>("pass");
  pass.position = of.integer<std::uint32_t>("position");
  pass.implementation = of.integer<std::uint32_t>("implementation");
  pass.method = of.text("method");
  pass.l2 = of.text("l2");
  pass.control = of.text("control");
  pass.warmups = of.integer<std::uint32_t>("warmups");
  pass.attempts = of.integer<std::uint32_t>("attempts");
  pass.bufferBytes = of.integer<std::int64_t>("buffer_bytes");
  pass.startedUnixNs = of.integer<std::int64_t>("started_unix_ns");
  pass.finishedUnixNs = of.integer<std::int64_t>("finished_unix_ns");
  pass.loopWall = of.integer<Ns>("loop_wall_ns");
  pass.trace.oneClock = of.flag("one_clock");
  pass.trace.dropped = {of.flag("drop_counter_proven"), of.integer<std::uint64_t>("dropped")};
  for (const Json& name : of.list("names")) {
    const std::size_t expected = pass.trace.names.size();
    if (pass.trace.names.intern(textOf(name, "A name")) != expected) of.wrong("names", "has one twice");
  }
  for (const Json& sample : of.list("telemetry")) pass.telemetry.push_back(telemetryFrom(of, sample));
  if (of.has("use")) pass.use = useFrom(of.at("use"));
  if (of.has("failure")) pass.failure = errorFrom(of.at("failure"));
  return pass;
}

}  // namespace opscope::remote
