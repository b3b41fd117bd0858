# SPDX-License-Identifier: Apache-2.0
"""Python callables behind the engine protocol: what the window and the command line drive."""

from __future__ import annotations

import importlib.util
import inspect
import os
import sys
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import _core
from ._measure import _call_of
from ._streams import current_stream, environment
from .errors import BadInput, UnknownName

_REGISTERED = {}


class _Op:
    """An op that is served: workloads by name, and what makes its callables for one of them."""

    def __init__(self, make, name, workloads, dtypes, flops, bytes, implementations, devices, doc):
        self.make = make
        self.name = name
        self.workloads = workloads or {"default": {}}
        self.dtypes = list(dtypes)
        self.flops = flops
        self.bytes = bytes
        self.devices = list(devices)
        self.doc = doc
        self._implementations = implementations

    def implementations(self):
        if self._implementations is None:
            # Nobody has said what there is, so it is made once to see; what it allocates goes again.
            first = next(iter(self.workloads.values()))
            self._implementations = list(self.calls(self.dtypes[0], first))
        return self._implementations

    def calls(self, dtype, dims):
        accepted = inspect.signature(self.make).parameters
        named = dict(dims)
        if "dtype" in accepted:
            named["dtype"] = dtype
        made = self.make(**named)
        return made if hasattr(made, "items") else {self.name: made}


def op(
    make: Optional[Callable[..., Any]] = None,
    *,
    name: Optional[str] = None,
    workloads: Optional[Mapping[str, Mapping[str, int]]] = None,
    dtypes: Sequence[str] = ("float32",),
    flops: Union[float, Callable[..., float]] = 0,
    bytes: Union[float, Callable[..., float]] = 0,
    implementations: Optional[Sequence[str]] = None,
    devices: Sequence[str] = ("cuda", "host"),
) -> Callable[..., Any]:
    """Declares an op that ``opscope serve`` offers: the decorated function makes its callables for one workload.

        @opscope.op(workloads={"small": {"M": 64, "N": 4096}}, dtypes=["float16", "bfloat16"])
        def rms_norm(M, N, dtype):
            x = torch.randn(M, N, device="cuda", dtype=getattr(torch, dtype))
            return {"torch": (torch.nn.functional.rms_norm, (x, (N,)))}

    It is called for every measurement, with the dimensions of the workload and, where it takes one, the ``dtype``; it
    returns names to callables as ``opscope.compare`` takes them, or one callable. ``flops`` and ``bytes`` of one call:
    numbers, or functions that take the same arguments. ``implementations``: their names; when they are not given, the
    function is called once to see.
    """

    def declare(function):
        label = name or function.__name__
        doc = (function.__doc__ or "").strip().split("\n")[0]
        _REGISTERED[label] = _Op(function, label, workloads, dtypes, flops, bytes, implementations, devices, doc)
        return function

    return declare if make is None else declare(make)


class _Source:
    """What the engine asks."""

    def __init__(self, ops):
        self._ops = {}
        for label, entry in ops.items():
            self._ops[label] = entry if isinstance(entry, _Op) else self._plain(label, entry)
        if not self._ops:
            raise BadInput("There is no op to serve", "Give a dictionary, or declare functions with @opscope.op.")

    @staticmethod
    def _plain(label, entry):
        calls = entry if hasattr(entry, "items") else {label: entry}
        for name, call in calls.items():
            _call_of(name, call)
        return _Op(lambda: calls, label, None, ("float32",), 0, 0, list(calls), ("cuda", "host"), "")

    def ops(self):
        return [
            dict(
                name=one.name,
                doc=one.doc,
                dtypes=one.dtypes,
                workloads={label: dict(dims) for label, dims in one.workloads.items()},
                implementations=one.implementations(),
                devices=one.devices,
            )
            for one in self._ops.values()
        ]

    def make(self, name, workload, dtype, dims, device):
        one = self._ops[name]
        if not workload and not dims:
            workload = next(iter(one.workloads))
        if workload and workload not in one.workloads:
            raise UnknownName(f"{name} has no workload {workload}", f"There are: {', '.join(one.workloads)}.")
        dtype = dtype or one.dtypes[0]
        if dtype not in one.dtypes:
            raise UnknownName(f"{name} is not made in {dtype}", f"There are: {', '.join(one.dtypes)}.")
        sizes = {**(one.workloads[workload] if workload else {}), **dims}
        calls = [dict(name=str(label), **_call_of(label, call)) for label, call in one.calls(dtype, sizes).items()]

        def amount(of):
            if not callable(of):
                return float(of)
            accepted = inspect.signature(of).parameters
            return float(of(**sizes, **({"dtype": dtype} if "dtype" in accepted else {})))

        return dict(
            name=name,
            workload=workload or "custom",
            dtype=dtype,
            dims=sizes,
            flops=amount(one.flops),
            bytes=amount(one.bytes),
            calls=calls,
            stream=current_stream(device),
            environment=environment(),
        )


def serve(ops: Optional[Mapping[str, Any]] = None) -> int:
    """Serves callables on standard input and output until whoever started this process has gone.

    ``ops``: names to callables, or to dictionaries of implementations as ``compare`` takes them; without it, the
    functions declared with ``@opscope.op``. Returns the exit code. Use it as an engine:

        opscope compare --engine "python3 -m opscope serve my_ops.py" --op my_op
    """
    return _core.serve(_Source(dict(_REGISTERED) if ops is None else ops))


class _File:
    """The ops of a Python file, which runs when the engine asks for them: then what it prints goes to the log."""

    def __init__(self, path):
        self._path = os.path.abspath(path)
        if not os.path.isfile(self._path) or not self._path.endswith(".py"):
            raise BadInput(f"{self._path} is no Python file", "Name a file that ends in .py.")

    def ops(self):
        if hasattr(sys.stdout, "reconfigure"):
            sys.stdout.reconfigure(line_buffering=True)
        spec = importlib.util.spec_from_file_location("opscope_served", self._path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        sys.path.insert(0, os.path.dirname(self._path))
        spec.loader.exec_module(module)
        self._source = _Source({**_REGISTERED, **getattr(module, "OPS", {})})
        return self._source.ops()

    def make(self, *what):
        return self._source.make(*what)


def serve_file(path: str) -> int:
    """Serves what a Python file declares: functions with ``@opscope.op``, and a dictionary ``OPS``."""
    return _core.serve(_File(path))
