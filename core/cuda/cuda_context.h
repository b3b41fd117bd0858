// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuda/cuda_handles.h"
#include "cuda/nvrtc_compiler.h"

namespace opscope::cuda {

/// The GPU as the calling thread uses it: its primary context with a host that spins while it waits, the main
/// stream and the streams beside it. On the launch thread.
class CudaContext {
 public:
  /// Throws DeviceUnavailable when the context cannot be had.
  explicit CudaContext(int ordinal);
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  int ordinal() const { return ordinal_; }
  const cudaDeviceProp& properties() const { return properties_; }
  std::string architecture() const;
  const NvrtcCompiler& compiler() const { return compiler_; }

  cudaStream_t main() const { return adopted_ ? *adopted_ : main_.get(); }
  /// Makes a stream of this process's other users the main one; nullopt: its own again.
  void adopt(std::optional<cudaStream_t> stream) { adopted_ = stream; }
  bool hasAdopted() const { return adopted_.has_value(); }
  /// Stream `index` of a call: 0 is the main one, the others are made when first asked for.
  cudaStream_t stream(std::uint32_t index);
  /// True while what is issued becomes part of a graph instead of running.
  bool capturing() const { return capturing_; }
  void setCapturing(bool capturing) { capturing_ = capturing; }
  /// Waits for the main stream, which every call joins at its end; with an adopted one, whose calls may do
  /// otherwise, for the whole device.
  void drain();

 private:
  int ordinal_;
  cudaDeviceProp properties_{};
  NvrtcCompiler compiler_;
  Stream main_;
  std::optional<cudaStream_t> adopted_;
  std::vector<Stream> others_;
  bool capturing_ = false;
};

}  // namespace opscope::cuda
