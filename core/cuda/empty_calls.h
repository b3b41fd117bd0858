// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <cstddef>
#include <optional>
#include <span>

namespace opscope::cuda {

// A fill or copy of no bytes succeeds and does nothing, so the device has no record of it. Libraries issue
// them (cuDNN clears an empty workspace). The record of the call does not say the size: only a callback sees
// the arguments.

struct SizedApi {
  CUpti_CallbackDomain domain;
  CUpti_CallbackId id;
  std::size_t (*bytes)(const void* arguments);
};

/// The functions whose arguments tell the size of a fill or copy.
std::span<const SizedApi> sizedApis();

/// How much such a function was asked to fill or copy, in its elements; nullopt for any other function.
std::optional<std::size_t> sizeAsked(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* arguments);

}  // namespace opscope::cuda
