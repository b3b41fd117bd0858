# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any, Callable

from .errors import BadInput


def backward_of(out: Any, grad: Any = None) -> Callable[[], Any]:
    """A callable that runs the backward of the one node that made ``out``, on the calling thread.

    ``Tensor.backward`` and ``torch.autograd.grad`` launch from a thread of autograd's own, whose kernels carry no
    iteration's number: measuring them raises OffThreadLaunch. The node alone can be driven from here:

        out = fused_norm(x)                      # x.requires_grad
        opscope.bench_kernel(opscope.backward_of(out))

    ``grad``: what arrives at the node; ones like ``out`` when it is not given. The backward of a chain of nodes is
    measured with ``torch.autograd.set_multithreading_enabled(False)``.
    """
    node = getattr(out, "grad_fn", None)
    if node is None:
        raise BadInput(
            "There is no backward of this: it has no grad_fn", "Make it from a tensor with requires_grad, outside of no_grad()."
        )
    torch = sys.modules.get("torch")
    if grad is None:
        if torch is None:
            raise BadInput("There is no PyTorch to make the gradient with", "Give it: backward_of(out, grad).")
        grad = torch.ones_like(out)
    # A node with several outputs takes a gradient for each; the others' stay out.
    outputs = len(getattr(node, "_input_metadata", None) or ()) or 1
    grads = [None] * outputs
    grads[getattr(out, "output_nr", 0)] = grad
    # Nodes made in Python are not callable; their backward is a method.
    run = node if callable(node) else node.apply

    # As the engine does: with gradients recorded, many nodes run another derivative, made of single ops.
    without_gradients = torch.no_grad if torch is not None else nullcontext

    def backward():
        with without_gradients():
            return run(*grads)

    backward.__name__ = f"backward_of_{node.name() if hasattr(node, 'name') else type(node).__name__}"
    return backward
