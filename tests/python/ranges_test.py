# SPDX-License-Identifier: Apache-2.0
"""What a callable marks of itself by NVTX, from the call to the session and through the engine protocol."""

import ctypes
import os
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import unittest

import opscope

MARKS = os.environ.get("OPSCOPE_TEST_MARKS", "")


@unittest.skipUnless(MARKS, "nvtx3/nvToolsExt.h was not found when this was built")
class Ranges(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.marks = ctypes.CDLL(MARKS)

    def marked(self):
        self.marks.marks_push(b"outer")
        self.marks.marks_push(b"inner")
        opscope.host.spin(20_000)
        self.marks.marks_pop()
        self.marks.marks_pop()

    def test_nested_ranges_of_each_iteration(self):
        samples = opscope.bench_kernel(self.marked, device="host", l2="warm", warmup_ms=1, iterations=10)
        for sample in samples:
            outer, inner = sample.ranges
            self.assertEqual((outer.name, inner.name), ("outer", "inner"))
            self.assertEqual(outer.domain, "")
            self.assertLessEqual(outer.start_ms, inner.start_ms)
            self.assertLessEqual(inner.start_ms + inner.duration_ms, outer.start_ms + outer.duration_ms)
            self.assertLessEqual(outer.duration_ms, sample.issue_ms)
            # Of the host alone: one kernel is still its own latency.
            self.assertEqual(sample.n_kernels, 1)
            self.assertEqual(sample.latency_ms, sample.device_busy_ms)
        self.assertTrue(repr(outer).startswith("Range('outer', "))

    def test_unbalanced_ranges_say_what_is_not_known(self):
        def unbalanced():
            self.marks.marks_push(b"open")
            opscope.host.spin(20_000)

        samples = opscope.bench_kernel(unbalanced, device="host", l2="warm", warmup_ms=0, iterations=10)
        for sample in samples:
            (only,) = sample.ranges
            self.assertEqual(only.name, "open")
            self.assertIsNone(only.duration_ms)

    def test_a_callable_without_marks_has_none(self):
        samples = opscope.bench_kernel(opscope.host.spin, (20_000,), device="host", l2="warm", warmup_ms=0, iterations=10)
        self.assertEqual([sample.ranges for sample in samples], [[]] * 10)

    def test_through_the_protocol_into_a_session(self):
        with tempfile.TemporaryDirectory() as folder:
            ops, session = os.path.join(folder, "my_ops.py"), os.path.join(folder, "served.opscope")
            with open(ops, "w") as file:
                file.write(textwrap.dedent(f"""
                    import ctypes
                    import opscope
                    marks = ctypes.CDLL({MARKS!r})

                    def marked():
                        marks.marks_push(b"outer")
                        marks.marks_push(b"inner")
                        opscope.host.spin(20_000)
                        marks.marks_pop()
                        marks.marks_pop()

                    OPS = {{"marked": marked}}
                """))
            done = subprocess.run(
                [os.environ["OPSCOPE_PROGRAM"], "run", "--engine", f"{sys.executable} -m opscope serve {ops}",
                 "--op", "marked", "--device", "host", "--l2", "warm", "--iterations", "10", "--session", session],
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            database = sqlite3.connect(session)
            rows = database.execute(
                "SELECT text, count(*), count(DISTINCT iteration), min(end_ns - start_ns) FROM host_range JOIN name "
                "ON name.pass_id = host_range.pass_id AND name.id = name_id WHERE iteration IS NOT NULL "
                "GROUP BY text ORDER BY text").fetchall()
            database.close()
            self.assertEqual([row[:3] for row in rows], [("inner", 10, 10), ("outer", 10, 10)])
            self.assertTrue(all(row[3] >= 0 for row in rows))
            loaded = opscope.load(session).results[0]
            self.assertEqual([r.name for r in loaded.implementations[0].samples[3].ranges], ["outer", "inner"])


if __name__ == "__main__":
    unittest.main()
