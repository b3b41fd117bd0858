// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>

namespace opscope {

/// Every way in which Opscope fails, by name. The names (see nameOf) travel through sessions, files and
/// processes.
enum class ErrorCode : std::uint8_t {
  // The measurement failed closed: there is no number.
  RecordsLost,          ///< the device's record of the pass is incomplete
  OffThreadLaunch,      ///< a kernel that no iteration launched
  NoKernel,             ///< an iteration without any kernel
  DropCounterUnproven,  ///< something is missing and the drop counter was never seen to work
  TimestampsMissing,    ///< a record without a start, or ending before it starts
  MixedMethods,         ///< passes of one implementation that were not measured alike
  WrongResult,          ///< the implementation computes something else than the reference
  // The device or something it needs.
  NoSuchDevice,
  DeviceUnavailable,  ///< there, but cannot be used: driver, permission, another tool
  DeviceLost,         ///< the device failed under us; this process cannot use it any more
  OutOfMemory,
  CompileFailed,
  LibraryMissing,
  NotSupported,
  WrongThread,  ///< a device call from a thread that is not the launch thread
  // What the user gave us.
  BadInput,
  UnknownName,
  // Files.
  CannotRead,
  CannotWrite,
  // Control.
  Cancelled,
  EngineDied,
  Internal,
};

/// Where in an input the error is. Lines and columns count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const Place&) const = default;
};

/// A failure as a plain value: what is stored in sessions and shown in windows.
struct ErrorInfo {
  ErrorCode code = ErrorCode::Internal;
  std::string message;  ///< what happened, one or two sentences
  std::string remedy;   ///< what to do about it; may be empty
  Place place;          ///< where, for input
  bool operator==(const ErrorInfo&) const = default;
};

/// Base of everything that Opscope throws. Catch a type below to handle one failure, this one to report any.
class Error : public std::exception {
 public:
  explicit Error(ErrorInfo info);
  ~Error() override;
  const char* what() const noexcept override { return text_.c_str(); }
  const ErrorInfo& info() const noexcept { return info_; }
  ErrorCode code() const noexcept { return info_.code; }

 private:
  ErrorInfo info_;
  std::string text_;
};

/// One exception type per code, so that each failure can be caught by name.
template <ErrorCode Code>
class TypedError : public Error {
 public:
  explicit TypedError(std::string message, std::string remedy = {}, Place place = {})
      : Error({Code, std::move(message), std::move(remedy), std::move(place)}) {}
};

using RecordsLost = TypedError<ErrorCode::RecordsLost>;
using OffThreadLaunch = TypedError<ErrorCode::OffThreadLaunch>;
using NoKernel = TypedError<ErrorCode::NoKernel>;
using DropCounterUnproven = TypedError<ErrorCode::DropCounterUnproven>;
using TimestampsMissing = TypedError<ErrorCode::TimestampsMissing>;
using MixedMethods = TypedError<ErrorCode::MixedMethods>;
using WrongResult = TypedError<ErrorCode::WrongResult>;
using NoSuchDevice = TypedError<ErrorCode::NoSuchDevice>;
using DeviceUnavailable = TypedError<ErrorCode::DeviceUnavailable>;
using DeviceLost = TypedError<ErrorCode::DeviceLost>;
using OutOfMemory = TypedError<ErrorCode::OutOfMemory>;
using CompileFailed = TypedError<ErrorCode::CompileFailed>;
using LibraryMissing = TypedError<ErrorCode::LibraryMissing>;
using NotSupported = TypedError<ErrorCode::NotSupported>;
using WrongThread = TypedError<ErrorCode::WrongThread>;
using BadInput = TypedError<ErrorCode::BadInput>;
using UnknownName = TypedError<ErrorCode::UnknownName>;
using CannotRead = TypedError<ErrorCode::CannotRead>;
using CannotWrite = TypedError<ErrorCode::CannotWrite>;
using Cancelled = TypedError<ErrorCode::Cancelled>;
using EngineDied = TypedError<ErrorCode::EngineDied>;
using InternalError = TypedError<ErrorCode::Internal>;

/// The name of a code, as in "RecordsLost".
std::string_view nameOf(ErrorCode code);
/// The code of a name; Internal for a name that this version does not know.
ErrorCode errorCodeFromName(std::string_view name);

/// "file:3:7: message. remedy": the whole failure as text, one line unless the message itself has several.
std::string describe(const ErrorInfo& info);

/// The command line's exit code for a failure: 3 failed closed, 4 no such device, 5 bad input, 6 wrong
/// result, 7 could not read or write, 8 engine died, 130 interrupted. 1 is left for errors of Opscope itself.
int exitCodeOf(ErrorCode code);

/// Turns the exception in flight into a value; anything that is not an Error becomes Internal, bad_alloc
/// OutOfMemory.
ErrorInfo currentErrorInfo();

}  // namespace opscope
