// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "ops/catalogue.h"
#include "ops/prepared.h"
#include "small_op.h"

using namespace opscope;
using Catch::Matchers::ContainsSubstring;
using opscope::testing::broken;
using opscope::testing::smallOp;
using opscope::testing::smallOpFile;

namespace {

class FakeMemory final : public DeviceMemory {
 public:
  explicit FakeMemory(std::size_t bytes) : bytes_(bytes) {}
  std::size_t bytes() const override { return bytes_.size(); }
  void* address() const override { return const_cast<std::byte*>(bytes_.data()); }

 private:
  std::vector<std::byte> bytes_;
};

class FakeCall final : public Call {
 public:
  void issue() override {}
};

/// Calls itself a CUDA device, has little memory, and keeps what it was asked to prepare.
class FakeDevice final : public Device {
 public:
  FakeDevice() : Device(cudaInfo()) {}
  std::string l2Label(L2Mode mode) const override { return std::string(nameOf(mode)); }
  CallSpec prepared;

 private:
  static DeviceInfo cudaInfo() {
    DeviceInfo info;
    info.id = "cuda:0";
    info.kind = "cuda";
    return info;
  }
  std::unique_ptr<DeviceMemory> doAllocate(std::size_t bytes) override {
    if (bytes > 1'000'000) throw OutOfMemory("only a megabyte here");
    return std::make_unique<FakeMemory>(bytes);
  }
  void doCopyToDevice(DeviceMemory& to, std::span<const std::byte> from) override {
    std::copy(from.begin(), from.end(), static_cast<std::byte*>(to.address()));
  }
  void doCopyToHost(std::span<std::byte> to, const DeviceMemory& from) override {
    std::copy_n(static_cast<const std::byte*>(from.address()), to.size(), to.begin());
  }
  void doFill(DeviceMemory& memory, std::byte value) override {
    std::fill_n(static_cast<std::byte*>(memory.address()), memory.bytes(), value);
  }
  std::unique_ptr<Call> doPrepare(const CallSpec& spec) override {
    prepared = spec;
    return std::make_unique<FakeCall>();
  }
  void doClearCaches(L2Mode) override {}
  void doDrain() override {}
  Collector& doCollector() override { throw NotSupported("no records"); }
  bool doProveDropCounter() override { return false; }
  std::unique_ptr<DeviceTimer> doMakeTimer() override { throw NotSupported("no timer"); }
  Ns doNow() override { return 0; }
};

OpSpec opWith(const std::string& from, const std::string& to) {
  return parseOps(broken(from, to), smallOpFile()).at(0);
}

std::string whyNot(const OpSpec& op, DType dtype, const std::string& kind) {
  return whyNotSupported(makeProblem(op, "small", dtype, {}, 1), "direct", kind);
}

const std::string kStep =
    R"yaml(- {kernel: twice, grid: "ceil_div(M * N, 256)", block: 256, args: [x, y, M]})yaml";

}  // namespace

TEST_CASE("a kernel call is prepared with everything evaluated", "[ops]") {
  const OpSpec op = opWith(
      kStep,
      R"(- {kernel: twice, grid: [N, "M + 1"], block: [32, 2, 4], cluster: [N, 2], shared: 8 * elem_bytes * N,
             args: [x, y, N, factor, count], stream: 2, host_sleep_us: 10 * M, synchronise: true, overlap: true}
          - {copy: [y, x], other_thread: true}
          - {fill: y})");
  FakeDevice device;
  Tensors tensors(device, makeProblem(op, "small", DType::Float16, {}, 1));
  const PreparedCall call = prepare(tensors, "direct");
  CHECK(call.implementation() == "direct");
  CHECK(device.prepared.label == "scale/direct");
  const auto& program = std::get<KernelProgram>(device.prepared.body);
  CHECK(program.fileName == "traps.cu");
  CHECK(program.options == std::vector<std::string>{"-DOPSCOPE_DTYPE_FLOAT16"});
  REQUIRE(program.steps.size() == 3);
  const KernelStep& step = program.steps[0];
  CHECK(step.kind == KernelStep::Kind::Kernel);
  CHECK(step.grid == Dim3{5, 4, 1});
  CHECK(step.block == Dim3{32, 2, 4});
  CHECK(step.cluster == Dim3{5, 2, 1});
  CHECK(step.overlap);
  CHECK(step.sharedBytes == 80);
  CHECK(step.args == std::vector<std::string>{"x", "y", "N", "factor", "count"});
  CHECK(step.stream == 2);
  CHECK(step.hostSleepNs == 30'000);
  CHECK(step.synchronise);
  CHECK(program.steps[1].kind == KernelStep::Kind::Copy);
  CHECK(program.steps[1].otherThread);
  CHECK_FALSE(program.steps[1].overlap);
  CHECK(program.steps[2].kind == KernelStep::Kind::Fill);
  CHECK(device.prepared.scalars.at("N").integer == 5);
  CHECK_FALSE(device.prepared.scalars.at("N").floating);
  CHECK(device.prepared.scalars.at("factor").floating);
  CHECK(device.prepared.scalars.at("factor").real == 2);
  CHECK(device.prepared.scalars.at("count").integer == 3);
  REQUIRE(device.prepared.tensors.size() == 2);
  CHECK(device.prepared.tensors[0].shape == std::vector<std::int64_t>{3, 5});
  CHECK(device.prepared.tensors[0].memory->bytes() == 30);
}

TEST_CASE("a step that is not wanted for a workload is left out", "[ops]") {
  const OpSpec op = opWith(kStep, R"(- {kernel: twice, when: N > 5, grid: 1, block: 32, args: [x, y, N]}
          - {kernel: same, when: N <= 5, grid: 1, block: 32, args: [x, y, N]})");
  const auto kernelFor = [&](const std::string& workload) {
    FakeDevice device;
    Tensors tensors(device, makeProblem(op, workload, DType::Float16, {}, 1));
    const PreparedCall call = prepare(tensors, "direct");
    const auto& steps = std::get<KernelProgram>(device.prepared.body).steps;
    REQUIRE(steps.size() == 1);
    return steps[0].kernel;
  };
  CHECK(kernelFor("small") == "same");  // N = 5
  CHECK(kernelFor("wide") == "twice");  // N = 7
}

TEST_CASE("scratch tensors are allocated in their own dtype", "[ops]") {
  const OpSpec op = opWith("source: traps.cu",
                           "source: traps.cu\n        scratch: {sums: {shape: [2 * M], dtype: float32}}");
  FakeDevice device;
  Tensors tensors(device, makeProblem(op, "small", DType::Float16, {}, 1));
  const PreparedCall call = prepare(tensors, "direct");
  REQUIRE(device.prepared.tensors.size() == 3);
  CHECK(device.prepared.tensors[2].name == "sums");
  CHECK(device.prepared.tensors[2].dtype == DType::Float32);
  CHECK(device.prepared.tensors[2].memory->bytes() == 24);
}

TEST_CASE("launches that no device can do are refused at their place", "[ops]") {
  for (const char* step : {"grid: M - 3, block: 256", "grid: 1, block: 1025", "grid: 1, block: [512, 4]",
                           "grid: M / 2, block: 1", "grid: [1, 65536], block: 1", "grid: 1, block: 0 - 1"}) {
    CAPTURE(step);
    const OpSpec op = opWith("grid: \"ceil_div(M * N, 256)\", block: 256", step);
    FakeDevice device;
    Tensors tensors(device, makeProblem(op, "small", DType::Float32, {}, 1));
    try {
      prepare(tensors, "direct");
      FAIL("prepared");
    } catch (const BadInput& error) {
      CHECK(error.info().place.line == 26);
    }
  }
}

TEST_CASE("a copy between tensors of two sizes is refused", "[ops]") {
  std::string text = broken(kStep, "- {copy: [y, x]}");
  const std::string shape = "y: {shape: [M, N]}";
  text.replace(text.find(shape), shape.size(), "y: {shape: [M, N, 2]}");
  const OpSpec op = parseOps(text, smallOpFile()).at(0);
  FakeDevice device;
  Tensors tensors(device, makeProblem(op, "small", DType::Float32, {}, 1));
  CHECK_THROWS_AS(prepare(tensors, "direct"), BadInput);
}

TEST_CASE("what an implementation cannot do is said with who can", "[ops]") {
  CHECK(whyNot(smallOp(), DType::Float32, "cuda").empty());
  CHECK_THAT(whyNot(opWith("      host: {function: trap.twice}\n", ""), DType::Float32, "host"),
             ContainsSubstring("scale/direct runs on cuda, not on host"));
  const OpSpec halves = opWith("source: traps.cu", "source: traps.cu\n        dtypes: [float16]");
  CHECK(whyNot(halves, DType::Float16, "cuda").empty());
  CHECK_THAT(whyNot(halves, DType::Float32, "cuda"),
             ContainsSubstring("computes in float16, not in float32"));
  const OpSpec even = opWith("source: traps.cu", "source: traps.cu\n        requires: mod(N, 2) == 0");
  CHECK_THAT(whyNot(even, DType::Float32, "cuda"), ContainsSubstring("mod(N, 2) == 0"));
  FakeDevice device;
  Tensors tensors(device, makeProblem(even, "small", DType::Float32, {}, 1));
  CHECK_THROWS_AS(prepare(tensors, "direct"), NotSupported);
  CHECK_THROWS_AS(prepare(tensors, "other"), UnknownName);
}

TEST_CASE("a tensor for which there is no memory is named", "[ops]") {
  const OpSpec op = smallOp();
  FakeDevice device;
  try {
    Tensors tensors(device, makeProblem(op, "small", DType::Float32, {{"M", 1000}, {"N", 1000}}, 1));
    FAIL("allocated");
  } catch (const OutOfMemory& error) {
    CHECK_THAT(error.info().message, ContainsSubstring("tensor x of scale"));
    CHECK_THAT(error.info().message, ContainsSubstring("only a megabyte here"));
  }
}

TEST_CASE("a source that has gone since cannot be read", "[ops]") {
  const OpSpec op = smallOp();
  BodySpec body = op.implementation("direct").bodies.at("cuda");
  body.source = "/nonexistent/kernels.cu";
  CHECK_THROWS_AS(kernelProgram(op, body, DType::Float32), CannotRead);
}
