# SPDX-License-Identifier: Apache-2.0
"""Every way in which Opscope fails, by name. Catch one class to handle one failure, OpscopeError for any."""


class OpscopeError(Exception):
    """A failure: ``message`` says what happened, ``remedy`` what to do, ``place`` where in an input."""

    #: The name that sessions, files and other processes know it by.
    code = "Internal"

    def __init__(self, message, remedy="", place=None):
        self.message = message
        self.remedy = remedy
        #: (file, line, column), counted from 1; None where the failure is in no input.
        self.place = place
        where = f"{place[0]}:{place[1]}: " if place else ""
        sentence = message if not remedy or message.endswith((".", "!", "?")) else message + "."
        super().__init__(f"{where}{sentence} {remedy}".rstrip())


class MeasurementFailed(OpscopeError):
    """The measurement failed closed: the call may have run, but there is no number."""


class RecordsLost(MeasurementFailed):
    """The device's record of the pass is incomplete, even after three attempts."""

    code = "RecordsLost"


class OffThreadLaunch(MeasurementFailed):
    """A kernel that no iteration launched: another thread did, as autograd's does in a backward."""

    code = "OffThreadLaunch"


class NoKernels(MeasurementFailed):
    """An iteration without any kernel: that call never reached the device."""

    code = "NoKernel"


class CopyOnly(NoKernels):
    """The call only copied or filled; a copy is not busy time."""


class DropCounterUnproven(MeasurementFailed):
    """Something is missing, and the count of dropped records was never seen to work."""

    code = "DropCounterUnproven"


class TimestampsMissing(MeasurementFailed):
    """A record without a start, or ending before it starts."""

    code = "TimestampsMissing"


class MixedMethods(MeasurementFailed):
    """Passes of one implementation that were not measured alike."""

    code = "MixedMethods"


class WrongResult(MeasurementFailed):
    """The implementation computes something else than the reference."""

    code = "WrongResult"


class NoSuchDevice(OpscopeError):
    code = "NoSuchDevice"


class DeviceUnavailable(OpscopeError):
    """The device is there and cannot be used: driver, permission, another tool."""

    code = "DeviceUnavailable"


class DeviceLost(OpscopeError):
    """The device failed; this process cannot use it any more."""

    code = "DeviceLost"


class OutOfMemory(OpscopeError, MemoryError):
    code = "OutOfMemory"


class CompileFailed(OpscopeError):
    code = "CompileFailed"


class LibraryMissing(OpscopeError):
    code = "LibraryMissing"


class NotSupported(OpscopeError):
    code = "NotSupported"


class WrongThread(OpscopeError):
    """A call to a device from a thread that does not own it."""

    code = "WrongThread"


class BadInput(OpscopeError, ValueError):
    code = "BadInput"


class UnknownName(OpscopeError, LookupError):
    code = "UnknownName"


class CannotRead(OpscopeError, OSError):
    code = "CannotRead"


class CannotWrite(OpscopeError, OSError):
    code = "CannotWrite"


class Cancelled(OpscopeError):
    code = "Cancelled"


class EngineDied(OpscopeError):
    code = "EngineDied"


class InternalError(OpscopeError):
    """An error of Opscope's own."""


_CLASSES = [value for value in list(globals().values()) if isinstance(value, type) and issubclass(value, OpscopeError)]
_BY_NAME = {cls.code: cls for cls in _CLASSES if "code" in vars(cls) and cls is not OpscopeError}
_BY_NAME["CopyOnly"] = CopyOnly

__all__ = [cls.__name__ for cls in _CLASSES]


def _make(name, message, remedy, file, line, column):
    return _BY_NAME.get(name, InternalError)(message, remedy, (file, line, column) if file else None)
