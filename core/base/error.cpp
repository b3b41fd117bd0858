// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <fmt/format.h>

#include <array>
#include <new>
#include <utility>

namespace opscope {
namespace {

struct CodeRow {
  ErrorCode code;
  std::string_view name;
  int exitCode;
};

constexpr std::array kCodes{
    CodeRow{ErrorCode::RecordsLost, "RecordsLost", 3},
    CodeRow{ErrorCode::OffThreadLaunch, "OffThreadLaunch", 3},
    CodeRow{ErrorCode::NoKernel, "NoKernel", 3},
    CodeRow{ErrorCode::DropCounterUnproven, "DropCounterUnproven", 3},
    CodeRow{ErrorCode::TimestampsMissing, "TimestampsMissing", 3},
    CodeRow{ErrorCode::MixedMethods, "MixedMethods", 3},
    CodeRow{ErrorCode::WrongResult, "WrongResult", 6},
    CodeRow{ErrorCode::NoSuchDevice, "NoSuchDevice", 4},
    CodeRow{ErrorCode::DeviceUnavailable, "DeviceUnavailable", 4},
    CodeRow{ErrorCode::DeviceLost, "DeviceLost", 3},
    CodeRow{ErrorCode::OutOfMemory, "OutOfMemory", 3},
    CodeRow{ErrorCode::CompileFailed, "CompileFailed", 5},
    CodeRow{ErrorCode::LibraryMissing, "LibraryMissing", 4},
    CodeRow{ErrorCode::NotSupported, "NotSupported", 5},
    CodeRow{ErrorCode::WrongThread, "WrongThread", 1},
    CodeRow{ErrorCode::BadInput, "BadInput", 5},
    CodeRow{ErrorCode::UnknownName, "UnknownName", 5},
    CodeRow{ErrorCode::CannotRead, "CannotRead", 7},
    CodeRow{ErrorCode::CannotWrite, "CannotWrite", 7},
    CodeRow{ErrorCode::Cancelled, "Cancelled", 130},
    CodeRow{ErrorCode::EngineDied, "EngineDied", 8},
    CodeRow{ErrorCode::Internal, "Internal", 1},
};

const CodeRow& rowOf(ErrorCode code) {
  for (const CodeRow& row : kCodes)
    if (row.code == code) return row;
  return kCodes.back();
}

}  // namespace

Error::Error(ErrorInfo info) : info_(std::move(info)), text_(describe(info_)) {}
Error::~Error() = default;

std::string_view nameOf(ErrorCode code) {
  return rowOf(code).name;
}

ErrorCode errorCodeFromName(std::string_view name) {
  for (const CodeRow& row : kCodes)
    if (row.name == name) return row.code;
  return ErrorCode::Internal;
}

std::string describe(const ErrorInfo& info) {
  std::string text;
  if (!info.place.file.empty()) {
    text += info.place.file;
    if (info.place.line > 0) text += fmt::format(":{}", info.place.line);
    if (info.place.line > 0 && info.place.column > 0) text += fmt::format(":{}", info.place.column);
    text += ": ";
  }
  text += info.message;
  if (!info.remedy.empty()) {
    if (!text.empty() && text.back() != '.' && text.back() != '\n') text += '.';
    text += ' ';
    text += info.remedy;
  }
  return text;
}

int exitCodeOf(ErrorCode code) {
  return rowOf(code).exitCode;
}

ErrorInfo currentErrorInfo() {
  try {
    throw;
  } catch (const Error& error) {
    return error.info();
  } catch (const std::bad_alloc&) {
    return {ErrorCode::OutOfMemory, "The program ran out of host memory", "Choose a smaller workload.", {}};
  } catch (const std::exception& error) {
    return {ErrorCode::Internal, error.what(), "This is a bug in Opscope.", {}};
  } catch (...) {
    return {ErrorCode::Internal, "An exception of an unknown type", "This is a bug in Opscope.", {}};
  }
}

}  // namespace opscope
