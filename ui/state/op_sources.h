// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace opscope::ui {

/// The files of one implementation, by their paths on the engine's machine.
struct OpSources {
  std::string op;
  std::string implementation;
  std::string code;  ///< a .cu file or a library; empty where the implementation is known by a name alone
  Place spec;        ///< where its YAML names it; no file where no YAML does
  bool operator==(const OpSources&) const = default;
};

/// Nothing for an op or an implementation that the catalogue does not have; an empty name is the op's first.
/// Pure.
std::optional<OpSources> sourcesOf(const CatalogueInfo& catalogue, const std::string& op,
                                   const std::string& implementation, const std::string& deviceKind);

/// What a compiler or a reader has to say of one line.
struct SourceMessage {
  std::string file;  ///< a path, or a name alone: what it was told
  int line = 0;      ///< from 1; 0: of the file as a whole
  int column = 0;
  bool isError = true;
  QString words;
  bool operator==(const SourceMessage&) const = default;
};

/// Each line of a compiler's log that has a place; a failure without such lines is one message, at its own
/// place or else at `otherwise`. Pure.
std::vector<SourceMessage> messagesOf(const ErrorInfo& error, const Place& otherwise);

/// Whether a message is of this file: a compiler says the name alone.
bool isOf(const SourceMessage& message, const std::string& file);

/// The line, from 1, in which CUDA source defines a kernel of this base name; nothing where it does not.
/// Pure.
std::optional<int> lineOfKernel(const QString& source, const QString& baseName);

}  // namespace opscope::ui
