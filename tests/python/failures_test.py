# SPDX-License-Identifier: Apache-2.0
"""Every way in which a measurement from Python fails closed, and that the next one works."""

import signal
import sys
import threading
import types
import unittest
import unittest.mock

import opscope

SPIN = 20_000


def bench(fn, args=(), **options):
    return opscope.bench_kernel(
        fn, args, **{"device": "host", "l2": "warm", "warmup_ms": 0, "iterations": 10, **options}
    )


def works():
    return len(bench(opscope.host.spin, (SPIN,))) == 10


class NoNumber(unittest.TestCase):
    def tearDown(self):
        self.assertTrue(works())

    def test_a_kernel_of_another_thread(self):
        def fn():
            thread = threading.Thread(target=opscope.host.spin, args=(SPIN,))
            thread.start()
            thread.join()

        with self.assertRaises(opscope.OffThreadLaunch) as caught:
            bench(fn)
        self.assertIn("backward_of", caught.exception.remedy)
        self.assertIn("set_multithreading_enabled(False)", caught.exception.remedy)
        self.assertIn("'spin'", caught.exception.message)
        self.assertIsInstance(caught.exception, opscope.errors.MeasurementFailed)
        # What was recorded is there to be looked at.
        self.assertIsInstance(caught.exception.result, opscope.Result)

    def test_no_kernel(self):
        with self.assertRaises(opscope.NoKernels) as caught:
            bench(lambda: None)
        self.assertNotIsInstance(caught.exception, opscope.CopyOnly)

    def test_only_a_copy(self):
        with self.assertRaises(opscope.CopyOnly) as caught:
            bench(opscope.host.copy, (4096,))
        self.assertIsInstance(caught.exception, opscope.NoKernels)

    def test_lost_records(self):
        op = dict(name="op", calls=[dict(name="a", function=lambda: opscope.host.spin(0), arguments=(), named={})])
        options = dict(device="host", l2="warm", warmup_ms=0.0, iterations=50, buffer_bytes=64)
        result = opscope._core.measure(op, options, None)
        self.assertIsInstance(result["a"].failure, opscope.RecordsLost)
        self.assertIn("3 attempts", result["a"].failure.message)
        with self.assertRaises(opscope.RecordsLost):
            result["a"].device_busy


class PythonRaises(unittest.TestCase):
    def tearDown(self):
        self.assertTrue(works())

    def raise_at(self, call):
        calls = [0]

        def fn():
            calls[0] += 1
            if calls[0] == call:
                raise ZeroDivisionError(f"call {call}")
            opscope.host.spin(SPIN)

        with self.assertRaisesRegex(ZeroDivisionError, f"call {call}"):
            bench(fn, warmup_ms=1)

    def test_in_the_first_call(self):
        self.raise_at(1)

    def test_in_calibration(self):
        self.raise_at(4)

    def test_in_warm_up(self):
        self.raise_at(7)

    def test_in_the_timed_loop(self):
        calls, measuring = [0], [False]

        def progress(phase, *_):
            measuring[0] = phase == "measure"

        def fn():
            calls[0] += measuring[0]
            if calls[0] == 8:  # after the four that settle the collection
                raise ZeroDivisionError("timed")
            opscope.host.spin(SPIN)

        with self.assertRaisesRegex(ZeroDivisionError, "timed"):
            bench(fn, progress=progress)

    def test_in_the_progress(self):
        def progress(*_):
            raise RuntimeError("the bar broke")

        with self.assertRaisesRegex(RuntimeError, "the bar broke"):
            bench(opscope.host.spin, (SPIN,), progress=progress)

    def test_a_ctrl_c(self):
        told = []

        def progress(phase, *_):
            told.append(phase)
            if phase == "measure":
                signal.raise_signal(signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            bench(opscope.host.spin, (SPIN,), progress=progress)
        self.assertNotIn("attribute", told)


class BadInput(unittest.TestCase):
    def test_named(self):
        for wrong in (
            dict(l2="cold"),
            dict(l2="rotate"),
            dict(warmup_ms=-1),
            dict(measure_ms=float("inf")),
        ):
            with self.subTest(wrong), self.assertRaises(opscope.BadInput):
                bench(opscope.host.spin, (SPIN,), **wrong)
        with self.assertRaises(opscope.NoSuchDevice):
            bench(opscope.host.spin, (SPIN,), device="toaster")
        with self.assertRaises(ValueError):
            opscope.compare({"not callable": 3}, device="host")
        with self.assertRaises(opscope.BadInput):
            opscope.compare(lambda: None, device="host")
        with self.assertRaises(opscope.BadInput):
            opscope.compare({}, device="host")
        with self.assertRaises(opscope.UnknownName):
            opscope.host.op("rms_nrom")
        with self.assertRaises(opscope.BadInput):
            opscope.host.spin(1, stream=99)

    def test_a_measurement_inside_a_measurement(self):
        with self.assertRaisesRegex(opscope.BadInput, "under way"):
            bench(lambda: bench(opscope.host.spin, (SPIN,)))
        self.assertTrue(works())


class Errors(unittest.TestCase):
    def test_the_text_says_where_what_and_what_to_do(self):
        error = opscope.errors._make("BadInput", "It is wrong", "Put it right.", "ops.py", 3, 1)
        self.assertEqual(str(error), "ops.py:3: It is wrong. Put it right.")
        self.assertIsInstance(error, ValueError)
        self.assertIsInstance(opscope.errors._make("SomethingNewer", "x", "", "", 0, 0), opscope.InternalError)


class Node:
    """Stands for a node of autograd's."""

    def __init__(self, inputs=1):
        self._input_metadata = [None] * inputs
        self.received = []

    def __call__(self, *grads):
        self.received.append(grads)
        opscope.host.spin(SPIN)

    def name(self):
        return "FusedBackward0"


class PythonNode:
    """A node made in Python has a method and cannot be called."""

    received = None

    def apply(self, *grads):
        self.received = grads


class Out:
    def __init__(self, node, output_nr=0):
        self.grad_fn = node
        self.output_nr = output_nr


class BackwardOf(unittest.TestCase):
    def test_the_node_is_driven_on_this_thread(self):
        node = Node()
        backward = opscope.backward_of(Out(node), grad="grad")
        self.assertEqual(backward.__name__, "backward_of_FusedBackward0")
        self.assertEqual(len(bench(backward)), 10)
        self.assertEqual(set(node.received), {("grad",)})

    def test_the_others_outputs_of_a_node_stay_out(self):
        node = Node(inputs=3)
        opscope.backward_of(Out(node, output_nr=1), grad="grad")()
        self.assertEqual(node.received, [(None, "grad", None)])

    def test_a_node_made_in_python(self):
        node = PythonNode()
        opscope.backward_of(Out(node), grad="grad")()
        self.assertEqual(node.received, ("grad",))

    def test_gradients_are_not_recorded_meanwhile(self):
        entered = []

        class NoGrad:
            def __enter__(self):
                entered.append(True)

            def __exit__(self, *_):
                entered.append(False)

        torch = types.ModuleType("torch")
        torch.no_grad = NoGrad
        torch.ones_like = lambda out: "ones"
        with unittest.mock.patch.dict(sys.modules, torch=torch):
            node = Node()
            backward = opscope.backward_of(Out(node))
        backward()
        self.assertEqual(entered, [True, False])
        self.assertEqual(node.received, [("ones",)])

    def test_without_a_backward(self):
        with self.assertRaisesRegex(opscope.BadInput, "grad_fn"):
            opscope.backward_of(Out(None))


if __name__ == "__main__":
    unittest.main()
