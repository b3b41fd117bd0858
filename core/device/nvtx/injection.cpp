// SPDX-License-Identifier: Apache-2.0

// The tool's side of NVTX: where NVTX_INJECTION64_PATH names this library, each copy of NVTX in the process
// (one in every library that uses it) calls InitializeInjectionNvtx2 before its first range, and gets the
// functions below in place of ones that do nothing.

#include <nvtx3/nvToolsExt.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "device/nvtx/tap_recording.h"

namespace {

using opscope::TapKind;
using opscope::TapRecording;

constexpr const char* kDefaultDomain = "";

TapRecording& recording() {
  static TapRecording& one = TapRecording::instance();
  return one;
}

std::string utf8Of(const wchar_t* text) noexcept try {
  std::string utf8;
  for (; text != nullptr && *text != L'\0'; ++text) {
    std::uint32_t code = std::char_traits<wchar_t>::to_int_type(*text);
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = 0xFFFD;
    const auto add = [&utf8](std::uint32_t byte) { utf8 += static_cast<char>(byte); };
    if (code < 0x80) {
      add(code);
    } else if (code < 0x800) {
      add(0xC0U | code >> 6);
      add(0x80U | (code & 0x3FU));
    } else if (code < 0x10000) {
      add(0xE0U | code >> 12);
      add(0x80U | (code >> 6 & 0x3FU));
      add(0x80U | (code & 0x3FU));
    } else {
      add(0xF0U | code >> 18);
      add(0x80U | (code >> 12 & 0x3FU));
      add(0x80U | (code >> 6 & 0x3FU));
      add(0x80U | (code & 0x3FU));
    }
  }
  return utf8;
} catch (...) {
  return {};  // no memory for a name: the range has none
}

std::string_view textOf(const char* text) {
  return text != nullptr ? std::string_view(text) : std::string_view();
}

const char* domainOf(nvtxDomainHandle_t domain) {
  return domain != nullptr ? reinterpret_cast<const char*>(domain) : kDefaultDomain;
}

// An older program's attributes may be shorter than ours: only what they say they hold is read.
template <class Use>
void withName(const nvtxEventAttributes_t* attributes, Use use) {
  constexpr std::size_t kNeeded = offsetof(nvtxEventAttributes_t, message) + sizeof(nvtxMessageValue_t);
  if (attributes == nullptr || attributes->size < kNeeded) return use(std::string_view());
  switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return use(textOf(attributes->message.ascii));
    case NVTX_MESSAGE_TYPE_UNICODE:
      return use(std::string_view(utf8Of(attributes->message.unicode)));
    case NVTX_MESSAGE_TYPE_REGISTERED:
      return use(textOf(reinterpret_cast<const char*>(attributes->message.registered)));
    default:
      return use(std::string_view());
  }
}

int pushNamed(const char* domain, std::string_view name) {
  recording().begin(TapKind::Push, domain, name);
  return NVTX_NO_PUSH_POP_TRACKING;
}

nvtxRangeId_t startNamed(const char* domain, std::string_view name) {
  const nvtxRangeId_t handle = recording().nextHandle();
  recording().begin(TapKind::Start, domain, name, handle);
  return handle;
}

// Every function first asks whether somebody records: a program that marks itself pays that and no more.

void NVTX_API domainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  if (!recording().on()) return;
  withName(attributes,
           [&](std::string_view name) { recording().begin(TapKind::Mark, domainOf(domain), name); });
}
void NVTX_API markEx(const nvtxEventAttributes_t* attributes) {
  domainMarkEx(nullptr, attributes);
}
void NVTX_API markA(const char* name) {
  if (recording().on()) recording().begin(TapKind::Mark, kDefaultDomain, textOf(name));
}
void NVTX_API markW(const wchar_t* name) {
  if (recording().on()) recording().begin(TapKind::Mark, kDefaultDomain, utf8Of(name));
}

nvtxRangeId_t NVTX_API domainRangeStartEx(nvtxDomainHandle_t domain,
                                          const nvtxEventAttributes_t* attributes) {
  if (!recording().on()) return recording().nextHandle();
  nvtxRangeId_t handle = 0;
  withName(attributes, [&](std::string_view name) { handle = startNamed(domainOf(domain), name); });
  return handle;
}
nvtxRangeId_t NVTX_API rangeStartEx(const nvtxEventAttributes_t* attributes) {
  return domainRangeStartEx(nullptr, attributes);
}
nvtxRangeId_t NVTX_API rangeStartA(const char* name) {
  return recording().on() ? startNamed(kDefaultDomain, textOf(name)) : recording().nextHandle();
}
nvtxRangeId_t NVTX_API rangeStartW(const wchar_t* name) {
  return recording().on() ? startNamed(kDefaultDomain, utf8Of(name)) : recording().nextHandle();
}
void NVTX_API domainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t handle) {
  if (recording().on()) recording().end(TapKind::End, domainOf(domain), handle);
}
void NVTX_API rangeEnd(nvtxRangeId_t handle) {
  domainRangeEnd(nullptr, handle);
}

int NVTX_API domainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  if (recording().on())
    withName(attributes, [&](std::string_view name) { pushNamed(domainOf(domain), name); });
  return NVTX_NO_PUSH_POP_TRACKING;
}
int NVTX_API rangePushEx(const nvtxEventAttributes_t* attributes) {
  return domainRangePushEx(nullptr, attributes);
}
int NVTX_API rangePushA(const char* name) {
  return recording().on() ? pushNamed(kDefaultDomain, textOf(name)) : NVTX_NO_PUSH_POP_TRACKING;
}
int NVTX_API rangePushW(const wchar_t* name) {
  return recording().on() ? pushNamed(kDefaultDomain, utf8Of(name)) : NVTX_NO_PUSH_POP_TRACKING;
}
int NVTX_API domainRangePop(nvtxDomainHandle_t domain) {
  if (recording().on()) recording().end(TapKind::Pop, domainOf(domain));
  return NVTX_NO_PUSH_POP_TRACKING;
}
int NVTX_API rangePop() {
  return domainRangePop(nullptr);
}

// A handle is the text itself, kept for as long as the process lives.
nvtxDomainHandle_t NVTX_API domainCreateA(const char* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(const_cast<char*>(recording().keep(textOf(name))));
}
nvtxDomainHandle_t NVTX_API domainCreateW(const wchar_t* name) {
  return reinterpret_cast<nvtxDomainHandle_t>(const_cast<char*>(recording().keep(utf8Of(name))));
}
void NVTX_API domainDestroy(nvtxDomainHandle_t) {}
nvtxStringHandle_t NVTX_API registerStringA(nvtxDomainHandle_t, const char* text) {
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<char*>(recording().keep(textOf(text))));
}
nvtxStringHandle_t NVTX_API registerStringW(nvtxDomainHandle_t, const wchar_t* text) {
  return reinterpret_cast<nvtxStringHandle_t>(const_cast<char*>(recording().keep(utf8Of(text))));
}

class Functions {
 public:
  Functions(const NvtxExportTableCallbacks& callbacks, NvtxCallbackModule module) {
    if (callbacks.GetModuleFunctionTable(module, &table_, &size_) == 0) size_ = 0;
  }
  /// `Type` is the one NVTX calls it by: one that differs does not compile.
  template <class Type>
  void set(unsigned int id, Type function) {
    if (id < size_ && table_[id] != nullptr) *table_[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  }
  bool any() const { return size_ > 0; }

 private:
  NvtxFunctionTable table_ = nullptr;
  unsigned int size_ = 0;
};

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name that NVTX looks for
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    NvtxGetExportTableFunc_t exportTable) {
  const auto* const callbacks =
      exportTable != nullptr ? static_cast<const NvtxExportTableCallbacks*>(exportTable(NVTX_ETID_CALLBACKS))
                             : nullptr;
  if (callbacks == nullptr || callbacks->GetModuleFunctionTable == nullptr) return 0;
  Functions core(*callbacks, NVTX_CB_MODULE_CORE);
  core.set<nvtxMarkEx_impl_fntype>(NVTX_CBID_CORE_MarkEx, markEx);
  core.set<nvtxMarkA_impl_fntype>(NVTX_CBID_CORE_MarkA, markA);
  core.set<nvtxMarkW_impl_fntype>(NVTX_CBID_CORE_MarkW, markW);
  core.set<nvtxRangeStartEx_impl_fntype>(NVTX_CBID_CORE_RangeStartEx, rangeStartEx);
  core.set<nvtxRangeStartA_impl_fntype>(NVTX_CBID_CORE_RangeStartA, rangeStartA);
  core.set<nvtxRangeStartW_impl_fntype>(NVTX_CBID_CORE_RangeStartW, rangeStartW);
  core.set<nvtxRangeEnd_impl_fntype>(NVTX_CBID_CORE_RangeEnd, rangeEnd);
  core.set<nvtxRangePushEx_impl_fntype>(NVTX_CBID_CORE_RangePushEx, rangePushEx);
  core.set<nvtxRangePushA_impl_fntype>(NVTX_CBID_CORE_RangePushA, rangePushA);
  core.set<nvtxRangePushW_impl_fntype>(NVTX_CBID_CORE_RangePushW, rangePushW);
  core.set<nvtxRangePop_impl_fntype>(NVTX_CBID_CORE_RangePop, rangePop);
  Functions domains(*callbacks, NVTX_CB_MODULE_CORE2);
  domains.set<nvtxDomainMarkEx_impl_fntype>(NVTX_CBID_CORE2_DomainMarkEx, domainMarkEx);
  domains.set<nvtxDomainRangeStartEx_impl_fntype>(NVTX_CBID_CORE2_DomainRangeStartEx, domainRangeStartEx);
  domains.set<nvtxDomainRangeEnd_impl_fntype>(NVTX_CBID_CORE2_DomainRangeEnd, domainRangeEnd);
  domains.set<nvtxDomainRangePushEx_impl_fntype>(NVTX_CBID_CORE2_DomainRangePushEx, domainRangePushEx);
  domains.set<nvtxDomainRangePop_impl_fntype>(NVTX_CBID_CORE2_DomainRangePop, domainRangePop);
  domains.set<nvtxDomainRegisterStringA_impl_fntype>(NVTX_CBID_CORE2_DomainRegisterStringA, registerStringA);
  domains.set<nvtxDomainRegisterStringW_impl_fntype>(NVTX_CBID_CORE2_DomainRegisterStringW, registerStringW);
  domains.set<nvtxDomainCreateA_impl_fntype>(NVTX_CBID_CORE2_DomainCreateA, domainCreateA);
  domains.set<nvtxDomainCreateW_impl_fntype>(NVTX_CBID_CORE2_DomainCreateW, domainCreateW);
  domains.set<nvtxDomainDestroy_impl_fntype>(NVTX_CBID_CORE2_DomainDestroy, domainDestroy);
  return core.any() && domains.any() ? 1 : 0;
}
