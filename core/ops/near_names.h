// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opscope {

/// The names of `known` that a person who typed `name` may have meant, nearest first, at most three.
std::vector<std::string> nearNames(std::string_view name, const std::vector<std::string>& known);

/// What to write instead of an unknown name: "Did you mean one-pass? There are: eager, one-pass." `what` is
/// the plural that stands before the list when nothing is near: "The implementations are: eager, one-pass."
std::string nameRemedy(std::string_view name, const std::vector<std::string>& known, std::string_view what);

}  // namespace opscope
