// SPDX-License-Identifier: Apache-2.0
//
// What a step gives a kernel against what the kernel takes: refused before anything is launched.
#include "cuda/kernel_arguments.h"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include "base/error.h"

using namespace opscope;
using namespace opscope::cuda;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;

namespace {

CallSpec specOfNumbers() {
  return {.label = "op/direct",
          .tensors = {},
          .scalars = {{"n", {.floating = false, .integer = 64, .real = 0}},
                      {"eps", {.floating = true, .integer = 0, .real = 1e-6}}},
          .body = {}};
}

KernelStep stepWith(std::vector<std::string> arguments) {
  KernelStep step;
  step.kernel = "direct";
  step.args = std::move(arguments);
  return step;
}

}  // namespace

TEST_CASE("arguments that fit are taken") {
  const KernelArguments given(specOfNumbers(), stepWith({"n", "eps"}));
  CHECK_NOTHROW(given.validate({8, 8}));
}

TEST_CASE("a wrong number of arguments says both numbers") {
  const KernelArguments given(specOfNumbers(), stepWith({"n", "eps"}));
  for (const auto& [takes, words] :
       {std::pair{std::vector<std::size_t>{8}, "takes 1 arguments, the step gives 2"},
        std::pair{std::vector<std::size_t>{8, 8, 8}, "takes 3 arguments, the step gives 2"},
        std::pair{std::vector<std::size_t>{}, "takes 0 arguments, the step gives 2"}})
    CHECK_THROWS_MATCHES(given.validate(takes), BadInput,
                         MessageMatches(ContainsSubstring("op/direct") && ContainsSubstring(words)));
}

TEST_CASE("an argument of another size says which, and what it was passed as") {
  const KernelArguments given(specOfNumbers(), stepWith({"n", "eps"}));
  CHECK_THROWS_MATCHES(
      given.validate({4, 8}), BadInput,
      MessageMatches(ContainsSubstring("argument 1 'n'") && ContainsSubstring("a long long")));
  CHECK_THROWS_MATCHES(
      given.validate({8, 4}), BadInput,
      MessageMatches(ContainsSubstring("argument 2 'eps'") && ContainsSubstring("a double")));
}

TEST_CASE("an argument that is nothing is refused with what there is") {
  try {
    const KernelArguments given(specOfNumbers(), stepWith({"n", "m"}));
    FAIL("was taken");
  } catch (const BadInput& error) {
    CHECK_THAT(error.info().message, ContainsSubstring("kernel 'direct' asks for 'm'"));
    CHECK_THAT(error.info().remedy, ContainsSubstring("eps, n"));
  }
}
