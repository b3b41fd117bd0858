# SPDX-License-Identifier: Apache-2.0
"""What of the program's GPU libraries a measurement follows. None of them is imported here."""

import sys

_DEFAULT_STREAM = 0


def _torch():
    torch = sys.modules.get("torch")
    # Asking for the current device would initialise CUDA in a program that has not used it.
    return torch if torch is not None and hasattr(torch, "cuda") and torch.cuda.is_initialized() else None


def current_device():
    """The GPU that the program uses now; "auto" when it uses none yet."""
    torch = _torch()
    if torch is not None:
        return f"cuda:{torch.cuda.current_device()}"
    cupy = sys.modules.get("cupy")
    if cupy is not None:
        return f"cuda:{cupy.cuda.Device().id}"
    return "auto"


def current_stream(device, stream=None):
    """The handle of the stream that calls launch on."""
    if stream is not None:
        for attribute in ("cuda_stream", "ptr", "handle"):
            if hasattr(stream, attribute):
                return int(getattr(stream, attribute))
        return int(stream)
    if device == "host":
        return None
    torch = _torch()
    if torch is not None:
        ordinal = device.partition(":")[2]
        return torch.cuda.current_stream(int(ordinal) if ordinal else None).cuda_stream
    cupy = sys.modules.get("cupy")
    if cupy is not None:
        return cupy.cuda.get_current_stream().ptr
    return _DEFAULT_STREAM


def environment():
    """Versions that numbers depend on."""
    versions = {"python": sys.version.split()[0]}
    for name in ("torch", "triton", "cupy", "numpy"):
        version = getattr(sys.modules.get(name), "__version__", None)
        if version:
            versions[name] = str(version)
    return versions
