# SPDX-License-Identifier: Apache-2.0
"""The host device: a CPU device that really runs, on which measuring can be tried and tested without a GPU.

Its streams are threads with a queue, as a GPU's are queues: a launch returns at once. Measure what launches here with
``device="host"``; figures of it are labelled *host CPU*.
"""

from . import _core

__all__ = ["copy", "op", "spin", "synchronise"]


def spin(ns: int, name: str = "spin", stream: int = 0) -> None:
    """Queues a kernel that keeps its stream busy for ``ns`` nanoseconds. From any thread."""
    _core.host_spin(int(ns), name, stream)


def copy(bytes: int, stream: int = 0) -> None:
    """Queues a copy of so many bytes: no kernel. From any thread."""
    _core.host_copy(int(bytes), stream)


def synchronise() -> None:
    """Waits until everything that was queued has run."""
    _core.host_synchronise()


def op(name: str, implementation: str = "", *, workload: str = "", dtype: str = "", **dims: int) -> _core.HostOp:
    """An op of the catalogue with tensors of its own, as a callable that launches its host implementation.

    ``dims`` replace dimensions of the workload: ``op("rms_norm", "one-pass", M=64, N=4096)``. Without ``workload``
    and ``dims``: the op's first workload.
    """
    return _core.HostOp(name, implementation, workload, dtype, dims)
