// SPDX-License-Identifier: Apache-2.0
#include "remote/values.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "session/pack.h"

namespace opscope::remote {
namespace {

constexpr int kFigureKinds = 3;
constexpr int kCheckStates = 4;
constexpr int kPhases = static_cast<int>(Phase::Done) + 1;

std::vector<std::string> textsFrom(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& text : list) texts.push_back(textOf(text, "An entry of a list"));
  return texts;
}

std::map<std::string, std::int64_t> dimsFrom(const Fields& of, const Json& map) {
  std::map<std::string, std::int64_t> dims;
  for (const auto& [name, value] : map.items()) dims[name] = of.integerOf<std::int64_t>(value, name);
  return dims;
}

Json placeJson(const Place& place) {
  const auto& [file, line, column] = place;
  return {{"file", file}, {"line", line}, {"column", column}};
}

Place placeFrom(const Json& json) {
  const Fields of(json, "A place");
  return {of.text("file"), of.integer<int>("line"), of.integer<int>("column")};
}

Json workloadJson(const CatalogueInfo::Workload& workload) {
  const auto& [label, dims, dtypes] = workload;
  return {{"label", label}, {"dims", dims}, {"dtypes", dtypes}};
}

Json implementationJson(const CatalogueInfo::Implementation& implementation) {
  const auto& [name, doc, deviceKinds, sources, place] = implementation;
  return {{"name", name},
          {"doc", doc},
          {"device_kinds", deviceKinds},
          {"sources", sources},
          {"place", placeJson(place)}};
}

Json opJson(const CatalogueInfo::Op& op) {
  const auto& [name, family, doc, dtypes, workloads, implementations, place] = op;
  Json json{{"name", name},
            {"family", family},
            {"doc", doc},
            {"dtypes", dtypes},
            {"workloads", Json::array()},
            {"implementations", Json::array()},
            {"place", placeJson(place)}};
  for (const auto& workload : workloads) json["workloads"].push_back(workloadJson(workload));
  for (const auto& implementation : implementations)
    json["implementations"].push_back(implementationJson(implementation));
  return json;
}

CatalogueInfo::Op opFrom(const Json& json) {
  const Fields of(json, "An op");
  CatalogueInfo::Op op{.name = of.text("name"),
                       .family = of.text("family"),
                       .doc = of.text("doc"),
                       .dtypes = textsFrom(of.list("dtypes")),
                       .workloads = {},
                       .implementations = {},
                       .place = placeFrom(of.map("place"))};
  for (const Json& each : of.list("workloads")) {
    const Fields w(each, "A workload");
    op.workloads.push_back({w.text("label"), dimsFrom(w, w.map("dims")), textsFrom(w.list("dtypes"))});
  }
  for (const Json& each : of.list("implementations")) {
    const Fields i(each, "An implementation");
    CatalogueInfo::Implementation implementation{
        .name = i.text("name"), .doc = i.text("doc"), .deviceKinds = textsFrom(i.list("device_kinds"))};
    for (const auto& [kind, file] : i.map("sources").items())
      implementation.sources[kind] = textOf(file, "A source");
    implementation.place = placeFrom(i.map("place"));
    op.implementations.push_back(std::move(implementation));
  }
  return op;
}

Json deviceJson(const DeviceInfo& device) {
  const auto& [id, kind, name, uuid, figures, method, architecture, memoryBytes, l2Bytes, multiprocessors,
               threadsPerMultiprocessor, registersPerMultiprocessor, sharedBytesPerMultiprocessor,
               timestampTick, memoryBytesPerSecond, nearbyCpus, versions] = device;
  return {{"id", id},
          {"kind", kind},
          {"name", name},
          {"uuid", uuid},
          {"figures", static_cast<int>(figures)},
          {"method", method},
          {"architecture", architecture},
          {"memory_bytes", memoryBytes},
          {"l2_bytes", l2Bytes},
          {"multiprocessors", multiprocessors},
          {"threads_per_multiprocessor", threadsPerMultiprocessor},
          {"registers_per_multiprocessor", registersPerMultiprocessor},
          {"shared_bytes_per_multiprocessor", sharedBytesPerMultiprocessor},
          {"timestamp_tick_ns", timestampTick},
          {"memory_bytes_per_second", memoryBytesPerSecond},
          {"nearby_cpus", nearbyCpus},
          {"versions", versions}};
}

DeviceInfo deviceFrom(const Json& json) {
  const Fields of(json, "A device");
  DeviceInfo device;
  device.id = of.text("id");
  device.kind = of.text("kind");
  device.name = of.text("name");
  device.uuid = of.text("uuid");
  device.figures = of.oneOf<FigureKind>("figures", kFigureKinds);
  device.method = of.text("method");
  device.architecture = of.text("architecture");
  device.memoryBytes = of.integer<std::int64_t>("memory_bytes");
  device.l2Bytes = of.integer<std::int64_t>("l2_bytes");
  device.multiprocessors = of.integer<int>("multiprocessors");
  device.threadsPerMultiprocessor = of.integer<int>("threads_per_multiprocessor");
  device.registersPerMultiprocessor = of.integer<int>("registers_per_multiprocessor");
  device.sharedBytesPerMultiprocessor = of.integer<std::int64_t>("shared_bytes_per_multiprocessor");
  device.timestampTick = of.integer<Ns>("timestamp_tick_ns");
  device.memoryBytesPerSecond = of.real("memory_bytes_per_second");
  for (const Json& cpu : of.list("nearby_cpus"))
    device.nearbyCpus.push_back(of.integerOf<int>(cpu, "nearby_cpus"));
  for (const auto& [what, version] : of.map("versions").items())
    device.versions[what] = textOf(version, "A version");
  return device;
}

}  // namespace

Hello ownHello() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  return {.protocol = kProtocolVersion,
          .version = OPSCOPE_VERSION,
          .sessionFormat = packedRunFormat(),
          .host = host.data(),
          .pid = getpid()};
}

std::string whyNotTogether(const Hello& engine, const Hello& client) {
  if (engine.protocol == client.protocol && engine.version == client.version &&
      engine.sessionFormat == client.sessionFormat)
    return {};
  return fmt::format(
      "The engine on {} is Opscope {} (protocol {}, session format {}), this is Opscope {} (protocol {}, "
      "session "
      "format {})",
      engine.host, engine.version, engine.protocol, engine.sessionFormat, client.version, client.protocol,
      client.sessionFormat);
}

Json toJson(const Hello& hello) {
  const auto& [protocol, version, sessionFormat, host, pid] = hello;
  return {{"protocol", protocol},
          {"version", version},
          {"session_format", sessionFormat},
          {"host", host},
          {"pid", pid}};
}

Hello helloFrom(const Json& json) {
  const Fields of(json, "hello");
  return {of.integer<int>("protocol"), of.text("version"), of.integer<int>("session_format"), of.text("host"),
          of.integer<std::int64_t>("pid")};
}

Json toJson(const ErrorInfo& error) {
  const auto& [code, message, remedy, place] = error;
  const auto& [file, line, column] = place;
  return {{"code", nameOf(code)}, {"message", message}, {"remedy", remedy},
          {"file", file},         {"line", line},       {"column", column}};
}

ErrorInfo errorFrom(const Json& json) {
  const Fields of(json, "An error");
  return {errorCodeFromName(of.text("code")),
          of.text("message"),
          of.text("remedy"),
          {of.text("file"), of.integer<int>("line"), of.integer<int>("column")}};
}

Json toJson(const Progress& progress) {
  const auto& [phase, implementation, pass, passes, iteration, iterations, remainingNs] = progress;
  return {{"phase", static_cast<int>(phase)},
          {"implementation", implementation},
          {"pass", pass},
          {"passes", passes},
          {"iteration", iteration},
          {"iterations", iterations},
          {"remaining_ns", remainingNs}};
}

Progress progressFrom(const Json& json) {
  const Fields of(json, "progress");
  return {of.oneOf<Phase>("phase", kPhases),       of.text("implementation"),
          of.integer<std::uint32_t>("pass"),       of.integer<std::uint32_t>("passes"),
          of.integer<std::uint32_t>("iteration"),  of.integer<std::uint32_t>("iterations"),
          of.integer<std::int64_t>("remaining_ns")};
}

Json toJson(const CatalogueInfo& catalogue) {
  const auto& [ops, problems] = catalogue;
  Json json{{"ops", Json::array()}, {"problems", Json::array()}};
  for (const CatalogueInfo::Op& op : ops) json["ops"].push_back(opJson(op));
  for (const ErrorInfo& problem : problems) json["problems"].push_back(toJson(problem));
  return json;
}

CatalogueInfo catalogueFrom(const Json& json) {
  const Fields of(json, "The catalogue");
  CatalogueInfo catalogue;
  for (const Json& op : of.list("ops")) catalogue.ops.push_back(opFrom(op));
  for (const Json& problem : of.list("problems")) catalogue.problems.push_back(errorFrom(problem));
  return catalogue;
}

Json toJson(const std::vector<DeviceInfo>& devices) {
  Json json = Json::array();
  for (const DeviceInfo& device : devices) json.push_back(deviceJson(device));
  return {{"devices", std::move(json)}};
}

std::vector<DeviceInfo> devicesFrom(const Json& json) {
  std::vector<DeviceInfo> devices;
  for (const Json& device : Fields(json, "The devices").list("devices"))
    devices.push_back(deviceFrom(device));
  return devices;
}

Json toJson(const std::vector<Check>& checks) {
  Json json = Json::array();
  for (const Check& check : checks) {
    const auto& [state, subject, sentence, remedy] = check;
    json.push_back({{"state", static_cast<int>(state)},
                    {"subject", subject},
                    {"sentence", sentence},
                    {"remedy", remedy}});
  }
  return {{"checks", std::move(json)}};
}

std::vector<Check> checksFrom(const Json& json) {
  std::vector<Check> checks;
  for (const Json& each : Fields(json, "The checks").list("checks")) {
    const Fields of(each, "A check");
    checks.push_back({of.oneOf<Check::State>("state", kCheckStates), of.text("subject"), of.text("sentence"),
                      of.text("remedy")});
  }
  return checks;
}

}  // namespace opscope::remote
