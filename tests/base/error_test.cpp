// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <catch2/catch_test_macros.hpp>
#include <new>
#include <stdexcept>

using namespace opscope;

TEST_CASE("an error names the place, what happened and what to do") {
  const BadInput error("an unknown key 'shap'", "Did you mean 'shape'?", {"ops/add.yaml", 3, 7});
  CHECK(std::string(error.what()) == "ops/add.yaml:3:7: an unknown key 'shap'. Did you mean 'shape'?");
  CHECK(describe({ErrorCode::BadInput, "text.", "Do this.", {}}) == "text. Do this.");
  CHECK(describe({ErrorCode::BadInput, "text", "", {"f", 0, 9}}) == "f: text");
}

TEST_CASE("every code has its own name and survives the round trip") {
  for (int code = 0; code <= static_cast<int>(ErrorCode::Internal); ++code) {
    const auto c = static_cast<ErrorCode>(code);
    CHECK(errorCodeFromName(nameOf(c)) == c);
  }
  CHECK(errorCodeFromName("FromTheFuture") == ErrorCode::Internal);
}

TEST_CASE("exit codes are the documented ones") {
  CHECK(exitCodeOf(ErrorCode::RecordsLost) == 3);
  CHECK(exitCodeOf(ErrorCode::OffThreadLaunch) == 3);
  CHECK(exitCodeOf(ErrorCode::NoKernel) == 3);
  CHECK(exitCodeOf(ErrorCode::NoSuchDevice) == 4);
  CHECK(exitCodeOf(ErrorCode::BadInput) == 5);
  CHECK(exitCodeOf(ErrorCode::WrongResult) == 6);
  CHECK(exitCodeOf(ErrorCode::CannotRead) == 7);
  CHECK(exitCodeOf(ErrorCode::CannotWrite) == 7);
  CHECK(exitCodeOf(ErrorCode::EngineDied) == 8);
  CHECK(exitCodeOf(ErrorCode::Cancelled) == 130);
}

TEST_CASE("a typed failure is caught by its own name and as an Error") {
  CHECK_THROWS_AS(throw OffThreadLaunch("x"), OffThreadLaunch);
  CHECK_THROWS_AS(throw OffThreadLaunch("x"), Error);
}

TEST_CASE("whatever is in flight becomes a value") {
  const auto caught = [](auto thrower) {
    try {
      thrower();
    } catch (...) {
      return currentErrorInfo();
    }
    return ErrorInfo{};
  };
  CHECK(caught([] { throw NoKernel("n", "r"); }) == ErrorInfo{ErrorCode::NoKernel, "n", "r", {}});
  CHECK(caught([] { throw std::bad_alloc(); }).code == ErrorCode::OutOfMemory);
  CHECK(caught([] { throw std::runtime_error("boom"); }).message == "boom");
  CHECK(caught([] { throw 7; }).code == ErrorCode::Internal);
}
