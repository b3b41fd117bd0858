// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "session/run.h"

namespace opscope::python {

/// A run as Python holds it. Immutable, any thread.
class Result {
 public:
  explicit Result(std::shared_ptr<const Run> run) : run_(std::move(run)) {}
  const std::shared_ptr<const Run>& run() const { return run_; }

 private:
  std::shared_ptr<const Run> run_;
};

void defineResults(pybind11::module_& module);

}  // namespace opscope::python
