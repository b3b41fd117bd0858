// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace opscope::cuda {

/// Where CUDA's libraries may be when the loader does not know them: beside this module, $CUDA_HOME,
/// $CUDA_PATH, /usr/local/cuda, and where they were at build time. Only folders that exist.
std::vector<std::filesystem::path> libraryFolders();

/// The same for cuDNN, which is often installed apart from the toolkit: before them lib and lib64 of
/// $CUDNN_PATH (as in Python's nvidia/cudnn folder).
std::vector<std::filesystem::path> cudnnFolders();

/// "libcupti.so.13", "libcupti.so.12", ...: the version built against first, then the other one that has the
/// same interface.
std::vector<std::string> libraryNames(const std::string& stem);

/// The folder with cuda_fp16.h and its kin, which NVRTC needs for half precision; nullopt when there is none.
std::optional<std::filesystem::path> headerFolder();

}  // namespace opscope::cuda
