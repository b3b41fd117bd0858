# SPDX-License-Identifier: Apache-2.0
"""Why is this GPU op slow? Opscope from Python.

    import opscope

    samples = opscope.bench_kernel(op, args=(x, weight))       # one Sample per iteration
    result = opscope.compare({"eager": (eager, (x,)), "fused": (fused, (x,))}, blocks=6)
    print(result.table())
    result.save("norm.opscope")                                  # opscope-ui norm.opscope

The number is ``device_busy_ms``: the union of the execution intervals of every kernel that one call ran, by the
device's own records. When the records do not account for everything, there is no number but an exception with a
name: see ``opscope.errors``.
"""

from . import errors, host
from ._autograd import backward_of
from ._core import Gap, Implementation, Kernel, Range, Result, Sample, Statistics, __version__
from ._measure import Samples, Session, bench_kernel, compare, devices, diagnose, load
from ._serve import op, serve
from .errors import *  # noqa: F401,F403

__all__ = [
    "Gap",
    "Implementation",
    "Kernel",
    "Range",
    "Result",
    "Sample",
    "Samples",
    "Session",
    "Statistics",
    "__version__",
    "backward_of",
    "bench_kernel",
    "compare",
    "devices",
    "diagnose",
    "errors",
    "host",
    "load",
    "op",
    "serve",
    *errors.__all__,
]
