# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import gc
import os
import sys
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _core
from ._streams import current_device, current_stream, environment
from .errors import BadInput


#: What tells how a measurement goes on: a bar or none, or a callable that takes phase, implementation, pass, passes,
#: iteration and iterations.
Progress = Union[bool, None, Callable[[str, str, int, int, int, int], None]]


class Samples(List[_core.Sample]):
    """One ``Sample`` for each iteration; ``result`` is everything else that the measurement found."""

    def __init__(self, result: _core.Result) -> None:
        super().__init__(result.implementations[0].samples)
        self.result = result

    @property
    def device_busy(self) -> _core.Statistics:
        """Order statistics of ``device_busy_ms``."""
        return self.result.implementations[0].device_busy

    @property
    def latency(self) -> _core.Statistics:
        return self.result.implementations[0].latency


class Session:
    """Results that are kept together in one file, which ``opscope-ui`` and ``opscope show`` read."""

    def __init__(self, results: Iterable[_core.Result] = ()) -> None:
        self.results = list(results)

    def add(self, result: Union[_core.Result, Samples]) -> Union[_core.Result, Samples]:
        """Adds a ``Result``, or the one of ``Samples``; returns it."""
        self.results.append(getattr(result, "result", result))
        return result

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes all results into ``path``, replacing what was there once everything is written."""
        _core.save_session(os.fspath(path), self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[_core.Result]:
        return iter(self.results)


def load(path: Union[str, os.PathLike]) -> Session:
    """Reads a session file, of whatever part of Opscope."""
    return Session(_core.load_session(os.fspath(path)))


def devices() -> List[Dict[str, Any]]:
    """The devices that can be named, as dictionaries: ``id``, ``name``, ``figures``, ..."""
    return _core.devices()


def diagnose() -> List[Tuple[str, str, str, str]]:
    """What ``opscope doctor`` says: tuples of state, subject, sentence and remedy."""
    return _core.diagnose()


def bench_kernel(
    fn: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Optional[Mapping[str, Any]] = None,
    *,
    name: Optional[str] = None,
    device: str = "auto",
    stream: Any = None,
    l2: str = "clean",
    warmup_ms: float = 25.0,
    measure_ms: float = 100.0,
    iterations: Optional[int] = None,
    workload: str = "",
    dtype: Any = "",
    flops: float = 0.0,
    bytes: float = 0.0,
    progress: Progress = None,
) -> Samples:
    """Measures ``fn(*args, **kwargs)``; returns one ``Sample`` for each iteration.

    It is called on this thread, once outside and then as often as the budgets allow (10 to 200 times); before every
    call the L2 cache is put into the state of ``l2`` ("clean", "zero" or "warm") and the device drained.

    ``device``: "auto" (PyTorch's or CuPy's current GPU, else the first that can be used, else the host), "cuda:0",
    "host". ``stream``: the stream that ``fn`` launches on, as a number or an object of PyTorch's or CuPy's; the
    current one when it is not given. ``iterations`` replaces the count that follows from ``measure_ms``.
    ``flops`` and ``bytes`` of one call give TFLOP/s and TB/s. ``progress``: True or False for a bar of tqdm's (the
    default: where it is installed and standard error is a terminal), or a callable.

    Raises an exception of ``opscope.errors`` when there is no number; what ``fn`` raises comes through as it is.
    """
    result = compare(
        {name or _name_of(fn): (fn, args, kwargs or {})},
        name=name or _name_of(fn),
        device=device,
        stream=stream,
        l2=l2,
        warmup_ms=warmup_ms,
        measure_ms=measure_ms,
        iterations=iterations,
        workload=workload,
        dtype=dtype,
        flops=flops,
        bytes=bytes,
        progress=progress,
    )
    failure = result.implementations[0].failure
    if failure is not None:
        failure.result = result
        raise failure
    return Samples(result)


def compare(
    implementations: Mapping[str, Union[Callable[..., Any], Tuple[Any, ...]]],
    *,
    name: str = "comparison",
    device: str = "auto",
    stream: Any = None,
    l2: str = "clean",
    warmup_ms: float = 25.0,
    measure_ms: float = 100.0,
    iterations: Optional[int] = None,
    blocks: int = 1,
    baseline: Optional[str] = None,
    settle_ms: Optional[float] = None,
    workload: str = "",
    dtype: Any = "",
    dims: Optional[Mapping[str, int]] = None,
    flops: float = 0.0,
    bytes: float = 0.0,
    progress: Progress = None,
) -> _core.Result:
    """Measures several implementations in the mirrored order A B C C B A; returns a ``Result``.

    ``implementations``: names to callables, or to tuples of a callable, its arguments and its keyword arguments.
    ``blocks``: how many mirrored rounds; from 4 on, better 6, each implementation has a verdict against ``baseline``
    (the first when it is not given) with a 95 % interval. The other parameters are those of ``bench_kernel``.

    An implementation whose records are not whole has no number: ``result[name].failure`` is the exception, and every
    number of it raises it; the others are measured all the same. What a callable raises comes through as it is.
    """
    if callable(implementations) or not hasattr(implementations, "items"):
        raise BadInput("compare takes a dictionary of names to callables", "For one callable there is bench_kernel.")
    device = current_device() if device == "auto" else str(device)
    calls = [dict(name=str(label), **_call_of(label, entry)) for label, entry in implementations.items()]
    op = dict(
        name=name,
        workload=workload,
        dtype=str(dtype).replace("torch.", ""),
        dims=dict(dims or {}),
        flops=float(flops),
        bytes=float(bytes),
        calls=calls,
        stream=current_stream(device, stream),
        environment=environment(),
    )
    options = dict(
        device=device,
        l2=l2,
        warmup_ms=warmup_ms,
        measure_ms=measure_ms,
        iterations=iterations,
        blocks=blocks,
        baseline=baseline,
        settle_ms=settle_ms,
    )
    with _Progress(progress) as report, _NoCollections():
        result = _core.measure(op, options, report)
    return result


def _name_of(fn):
    name = getattr(fn, "__name__", None) or type(fn).__name__
    return "call" if name == "<lambda>" else name


def _call_of(label, entry):
    function, arguments, named = entry, (), {}
    if isinstance(entry, tuple):
        if not 1 <= len(entry) <= 3:
            raise BadInput(f"{label} is a tuple of {len(entry)}", "Give a callable, its arguments and its keyword arguments.")
        function, arguments, named = (*entry, (), {})[:3] if len(entry) == 1 else (*entry, {})[:3]
    if not callable(function):
        raise BadInput(f"{label} cannot be called: it is a {type(function).__name__}", "Give a callable.")
    if not isinstance(arguments, (tuple, list)):
        arguments = (arguments,)
    doc = (getattr(function, "__doc__", None) or "").strip().split("\n")[0]
    return dict(function=function, arguments=tuple(arguments), named=dict(named), doc=doc)


class _NoCollections:
    """Python's garbage collector stays off while calls are timed, as in timeit: it would run in some of them."""

    def __enter__(self):
        self._was_enabled = gc.isenabled()
        if self._was_enabled:
            gc.collect()
            gc.disable()

    def __exit__(self, *_):
        if self._was_enabled:
            gc.enable()


class _Progress:
    """What is told of a measurement's progress: a callable, a bar, or nothing."""

    def __init__(self, wanted):
        self._bar = None
        self._report = wanted if callable(wanted) else None
        if wanted is None:
            wanted = sys.stderr is not None and sys.stderr.isatty()
        if wanted is True:
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=1, unit="pass", leave=False, bar_format="{desc} {bar} {n_fmt}/{total_fmt}")
            self._report = self._move

    def _move(self, phase, implementation, number, passes, iteration, iterations):
        self._bar.set_description_str(f"{implementation}: {phase}", refresh=False)
        self._bar.total = max(passes, 1)
        self._bar.n = max(number - 1, 0)
        self._bar.refresh()

    def __enter__(self):
        return self._report

    def __exit__(self, *_):
        if self._bar is not None:
            self._bar.close()
