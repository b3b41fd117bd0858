// SPDX-License-Identifier: Apache-2.0
#include "cuda/cupti_api.h"

#include <fmt/format.h>

#include "cuda/toolkit_paths.h"

namespace opscope::cuda {
namespace {

ApiTable tableOf(const CuptiApi& api, CUpti_CallbackDomain domain) {
  constexpr std::uint32_t kLimit = 8192;  // against a library that never says that the ids have ended
  ApiTable table;
  table.entries.emplace_back();
  for (std::uint32_t id = 1; id < kLimit; ++id) {
    const char* name = nullptr;
    if (api.getCallbackName(domain, id, &name) != CUPTI_SUCCESS) break;
    const std::string_view text = name != nullptr ? name : "";
    table.entries.push_back({std::string(plainApiName(text)), launchKindOf(text)});
  }
  return table;
}

}  // namespace

std::optional<CuptiApi> CuptiApi::load(std::string& why) {
  CuptiApi api;
  const auto names = libraryNames("libcupti");
  // The process's own, where it has one: a second CUPTI beside it would neither see nor be given anything.
  api.library = Library::openLoaded("libcupti");
  if (!api.library) api.library = Library::open(names, libraryFolders());
  if (!api.library) {
    why = api.library.problem().empty() ? fmt::format("CUPTI ({}) was not found", fmt::join(names, ", "))
                                        : fmt::format("CUPTI could not be loaded: {}", api.library.problem());
    return std::nullopt;
  }
  std::string missing;
  const auto need = [&](const char* name, auto& function) {
    if (!api.library.find(name, function)) missing += std::string(missing.empty() ? "" : ", ") + name;
  };
  need("cuptiGetVersion", api.getVersion);
  need("cuptiGetResultString", api.getResultString);
  need("cuptiGetTimestamp", api.getTimestamp);
  need("cuptiGetCallbackName", api.getCallbackName);
  need("cuptiSubscribe", api.subscribe);
  need("cuptiUnsubscribe", api.unsubscribe);
  need("cuptiEnableCallback", api.enableCallback);
  need("cuptiActivityRegisterCallbacks", api.registerCallbacks);
  need("cuptiActivityEnable", api.enable);
  need("cuptiActivityDisable", api.disable);
  need("cuptiActivityEnableRuntimeApi", api.enableRuntimeApi);
  need("cuptiActivityEnableDriverApi", api.enableDriverApi);
  need("cuptiActivityEnableLatencyTimestamps", api.enableLatencyTimestamps);
  need("cuptiActivityFlushAll", api.flushAll);
  need("cuptiActivityGetNextRecord", api.getNextRecord);
  need("cuptiActivityGetNumDroppedRecords", api.getNumDroppedRecords);
  need("cuptiActivityPushExternalCorrelationId", api.pushExternalId);
  need("cuptiActivityPopExternalCorrelationId", api.popExternalId);
  if (!missing.empty()) {
    why = fmt::format("CUPTI in {} is too old: it lacks {}", api.library.path(), missing);
    return std::nullopt;
  }
  api.library.find("cuptiSubscribe_v2", api.subscribeV2);
  api.getVersion(&api.version);
  api.runtimeApis = tableOf(api, CUPTI_CB_DOMAIN_RUNTIME_API);
  api.driverApis = tableOf(api, CUPTI_CB_DOMAIN_DRIVER_API);
  return api;
}

std::string CuptiApi::textOf(CUptiResult result) const {
  const char* text = nullptr;
  if (getResultString(result, &text) == CUPTI_SUCCESS && text != nullptr) return text;
  return fmt::format("CUPTI error {}", static_cast<int>(result));
}

}  // namespace opscope::cuda
