// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <optional>

#include "cuda/cuda_context.h"
#include "cuda/cuda_memory.h"
#include "cuda/program_loader.h"

namespace opscope::cuda {

/// Empties L2 of what the next call will read. On the launch thread.
class L2Clear {
 public:
  /// Compiles the reading kernel. Where that fails, only clean() and what needs a kernel are lost: they throw
  /// the reason.
  explicit L2Clear(CudaContext& context);

  /// Reads twice the size of L2 that nobody writes, and so leaves no dirty line behind.
  void clean();
  /// Writes zeros over twice the size of L2: leaves dirty lines whose write-back lands in what comes next.
  void zero();

  /// A short kernel that reads `bytes` (at most bytes()): for seeing the instrument work. A fill where there
  /// is no compiler.
  void shortWork(std::size_t bytes);
  std::size_t bytes() const { return bytes_; }

 private:
  template <typename Launch>
  void clearWithReset(Launch launch);
  void read(const CudaMemory& memory, std::size_t bytes, unsigned blocks);
  CudaMemory& ensure(std::optional<CudaMemory>& memory, int value);

  CudaContext& context_;
  std::size_t bytes_;
  bool canReset_ = true;
  Event begun_;
  std::optional<LoadedProgram> program_;
  std::exception_ptr noKernel_;
  cudaKernel_t kernel_ = nullptr;
  std::optional<CudaMemory> readOnly_;
  std::optional<CudaMemory> written_;
  CudaMemory sink_;
};

}  // namespace opscope::cuda
