// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace opscope::cuda {

/// Source text to be compiled for one architecture.
struct KernelSource {
  std::string source;
  std::string fileName;  ///< for messages and line information
  std::vector<std::string> options;
  std::vector<std::string> includeFolders;
  std::vector<std::string> kernels;  ///< names or template instances that are looked up: "f", "g<float>"
  std::string architecture;          ///< "sm_90"
};

/// What a compilation gives: machine code, and each kernel's name in it.
struct CompiledProgram {
  std::vector<char> cubin;
  std::map<std::string, std::string> loweredNames;
  bool operator==(const CompiledProgram&) const = default;
};

/// The files of `includeFolders` (and beside them) that the source includes, directly or not, with their
/// text, in order of first inclusion. Conditional includes count as included: one file too many costs a
/// compilation, one too few a wrong kernel.
std::vector<std::pair<std::filesystem::path, std::string>> includedFiles(const KernelSource& source);

/// A name for the result of compiling `source`: 32 hexadecimal digits, FNV-1a of 128 bits over the text, the
/// included files, options, folders, kernels, architecture and compiler version, each with its length. FNV-1a
/// guards against accidents, not against an attacker who can write to the cache anyway.
std::string keyOf(const KernelSource& source, const std::string& compilerVersion);

}  // namespace opscope::cuda
