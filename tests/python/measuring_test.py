# SPDX-License-Identifier: Apache-2.0
"""Measuring from Python on the host device: real kernels, real records."""

import gc
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import opscope

MICROSECOND = 1000


def spin_for(microseconds):
    def spin():
        opscope.host.spin(microseconds * MICROSECOND)

    return spin


def bench(fn, args=(), **options):
    options = {"device": "host", "l2": "warm", "warmup_ms": 1, "iterations": 12, **options}
    return opscope.bench_kernel(fn, args, **options)


class BenchKernel(unittest.TestCase):
    def test_one_sample_for_each_iteration_with_the_kernel_it_ran(self):
        samples = bench(spin_for(200))
        self.assertEqual(len(samples), 12)
        for sample in samples:
            self.assertEqual(sample.n_kernels, 1)
            self.assertEqual(sample.n_memops, 0)
            # A spin cannot end before its time; one kernel is its own latency.
            self.assertGreaterEqual(sample.device_busy_ms, 0.2)
            self.assertEqual(sample.latency_ms, sample.device_busy_ms)
            self.assertEqual([kernel.name for kernel in sample.kernels], ["spin"])
        self.assertEqual(samples.device_busy.n, 12)
        self.assertEqual(samples.result.figures, "host CPU")
        self.assertEqual(samples.result.method, "host-records")
        self.assertEqual(samples.result.environment["python"], sys.version.split()[0])

    def test_arguments_arrive(self):
        seen = []

        def fn(*args, **kwargs):
            seen.append((args, kwargs))
            opscope.host.spin(10 * MICROSECOND)

        opscope.bench_kernel(fn, (1, "two"), {"three": 3}, device="host", l2="warm", warmup_ms=0, iterations=10)
        self.assertEqual(set(map(repr, seen)), {repr(((1, "two"), {"three": 3}))})

    def test_a_late_host_is_a_gap_and_never_busy(self):
        def fn():
            opscope.host.spin(100 * MICROSECOND)
            opscope.host.synchronise()
            time.sleep(0.002)
            opscope.host.spin(100 * MICROSECOND)

        for sample in bench(fn):
            self.assertEqual(sample.n_kernels, 2)
            self.assertAlmostEqual(sample.latency_ms, sample.device_busy_ms + sample.gap_ms, places=9)
            # Nothing was there to be run while the host slept.
            self.assertGreaterEqual(sample.gap_ms, 2)
            (gap,) = sample.gaps
            self.assertEqual(gap.cause, "host-late")
            parts = gap.host_ms + gap.copy_ms + gap.instrument_ms + gap.device_ms
            self.assertAlmostEqual(parts, gap.duration_ms, places=9)

    def test_two_streams_count_once(self):
        def fn():
            opscope.host.spin(3000 * MICROSECOND, stream=0)
            opscope.host.spin(3000 * MICROSECOND, stream=1)

        samples = bench(fn)
        self.assertEqual({sample.n_kernels for sample in samples}, {2})
        for sample in samples:
            self.assertLessEqual(sample.device_busy_ms, sum(kernel.duration_ms for kernel in sample.kernels) + 1e-9)

    def test_a_copy_beside_a_kernel_is_told(self):
        def fn():
            opscope.host.spin(50 * MICROSECOND)
            opscope.host.copy(1 << 16)

        for sample in bench(fn):
            self.assertEqual((sample.n_kernels, sample.n_memops), (1, 1))
            self.assertGreater(sample.memop_ms, 0)

    def test_budgets_make_the_count(self):
        # 100 ms over 20 ms a call are at most 5, and no budget asks for fewer than 10.
        self.assertEqual(len(bench(spin_for(20_000), iterations=None, measure_ms=100)), 10)

    def test_an_op_of_the_catalogue(self):
        norm = opscope.host.op("rms_norm", "one-pass", dtype="float32", M=8, N=256)
        samples = bench(norm, name="one-pass")
        self.assertEqual({sample.n_kernels for sample in samples}, {1})
        self.assertEqual(samples.result.implementations[0].name, "one-pass")
        self.assertIn("rms_norm/one-pass", repr(norm))

    def test_from_a_thread_of_ones_own(self):
        found = []
        thread = threading.Thread(target=lambda: found.append(len(bench(spin_for(20)))))
        thread.start()
        thread.join()
        self.assertEqual(found, [12])
        self.assertEqual(len(bench(spin_for(20))), 12)


class Around(unittest.TestCase):
    def test_other_threads_run_while_the_device_is_waited_for(self):
        counted, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1
                time.sleep(0)

        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        seen = []

        def fn():
            seen.append(counted[0])
            opscope.host.spin(5000 * MICROSECOND)

        bench(fn, iterations=20)
        stop.set()
        thread.join()
        # With the interpreter locked, nobody would have counted between the calls.
        self.assertGreater(len(set(seen)), 10, f"{before} {seen}")

    def test_no_python_runs_but_the_call_and_the_progress(self):
        calls = {"fn": 0, "progress": 0, "other": 0}

        def fn():
            opscope.host.spin(10 * MICROSECOND)

        def progress(*_):
            pass

        def profile(frame, event, _):
            if event != "call":
                return
            name = frame.f_code.co_name
            if name == "spin":
                return  # opscope.host.spin itself: part of the call
            calls[name if name in calls else "other"] += 1

        op = dict(name="op", calls=[dict(name="a", function=fn, arguments=(), named={})])
        options = dict(device="host", l2="warm", warmup_ms=0.0, iterations=50)
        sys.setprofile(profile)
        try:
            opscope._core.measure(op, options, progress)
        finally:
            sys.setprofile(None)
        self.assertEqual(calls["other"], 0)
        self.assertGreaterEqual(calls["fn"], 50)
        self.assertGreaterEqual(calls["progress"], 4)

    def test_no_garbage_collection_meanwhile_and_as_before_after(self):
        states = []

        def fn():
            states.append(gc.isenabled())
            opscope.host.spin(10 * MICROSECOND)

        self.assertTrue(gc.isenabled())
        bench(fn)
        self.assertEqual(set(states), {False})
        self.assertTrue(gc.isenabled())
        gc.disable()
        try:
            bench(fn)
            self.assertFalse(gc.isenabled())
        finally:
            gc.enable()

    def test_progress_is_told(self):
        told = []
        bench(spin_for(20), progress=lambda *what: told.append(what))
        phases = [what[0] for what in told]
        for phase in ("prepare", "calibrate", "warm up", "measure", "attribute"):
            self.assertIn(phase, phases)

    def test_what_a_call_costs_from_python(self):
        """Prints what (c) of the issue asks for: the host's side of a call, from Python and through the catalogue."""
        samples = bench(lambda: opscope.host.spin(0), iterations=200)
        lambda_us = sorted(sample.issue_ms for sample in samples)[100] * 1000
        norm = opscope.host.op("rms_norm", "one-pass", M=1, N=64)
        samples = bench(norm, iterations=200)
        op_us = sorted(sample.issue_ms for sample in samples)[100] * 1000
        print(f"host CPU: a lambda that launches {lambda_us:.2f} us, a prepared op {op_us:.2f} us, median of 200")
        self.assertGreater(lambda_us, 0)
        self.assertGreater(op_us, 0)


class Compare(unittest.TestCase):
    def compare(self, implementations, **options):
        options = {"device": "host", "l2": "warm", "warmup_ms": 1, "iterations": 10, "settle_ms": 0, **options}
        return opscope.compare(implementations, **options)

    def test_a_verdict_against_the_baseline(self):
        result = self.compare({"one": spin_for(300), "three": (opscope.host.spin, (900 * MICROSECOND,))}, blocks=6)
        self.assertEqual([one.name for one in result.implementations], ["one", "three"])
        (verdict,) = result.verdicts
        self.assertEqual((verdict["implementation"], verdict["baseline"]), ("three", "one"))
        self.assertEqual(verdict["verdict"], "slower")
        low, high = verdict["interval"]
        self.assertTrue(1.5 < low <= 3.1 and 2.5 < high < 6, verdict)
        self.assertIn("three is slower than one", " ".join(result.sentences))
        self.assertIn("three", result.table())
        self.assertEqual(len(result["one"].samples), 6 * 10)
        self.assertNotEqual(result.drift, "")

    def test_the_baseline_can_be_chosen(self):
        result = self.compare({"one": spin_for(100), "two": spin_for(400)}, baseline="two", blocks=6)
        self.assertEqual(result.verdicts[0]["verdict"], "faster")
        with self.assertRaises(opscope.BadInput):
            self.compare({"one": spin_for(100)}, baseline="nobody")

    def test_a_failure_takes_one_and_its_numbers_raise(self):
        result = self.compare({"good": spin_for(50), "empty": lambda: None})
        self.assertIsNone(result["good"].failure)
        self.assertGreater(result["good"].device_busy.median_ms, 0)
        self.assertIsInstance(result["empty"].failure, opscope.NoKernels)
        for number in ("device_busy", "latency", "gap", "samples", "n_kernels", "tflops"):
            with self.assertRaises(opscope.NoKernels, msg=number):
                getattr(result["empty"], number)

    def test_rates_come_from_what_is_claimed(self):
        result = self.compare({"a": spin_for(1000)}, flops=2e9, bytes=1e6)
        seconds = result["a"].device_busy.median_ms * 1e-3
        self.assertAlmostEqual(result["a"].tflops, 2e9 / seconds * 1e-12, places=9)
        self.assertAlmostEqual(result["a"].bandwidth_tbs, 1e6 / seconds * 1e-12, places=12)

    def test_sessions_are_read_by_everyone(self):
        session = opscope.Session()
        session.add(self.compare({"a": spin_for(50), "b": spin_for(60)}, name="mine", workload="w", dims={"M": 4}))
        session.add(bench(spin_for(50), name="alone"))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine.opscope")
            session.save(path)
            again = opscope.load(path)
            self.assertEqual([result.name for result in again], ["mine", "alone"])
            self.assertEqual(again.results[0].table(), session.results[0].table())
            shown = subprocess.run([os.environ["OPSCOPE_PROGRAM"], "show", path], capture_output=True, text=True)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertIn("mine", shown.stdout)
            session.results[1].save(path)
            self.assertEqual(len(opscope.load(path)), 3)
            self.assertEqual(json.loads(session.results[0].json())["runs"][0]["op"], "mine")
        with self.assertRaises(opscope.CannotRead):
            opscope.load("/nonexistent/nothing.opscope")


if __name__ == "__main__":
    unittest.main()
