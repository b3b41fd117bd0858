# SPDX-License-Identifier: Apache-2.0
"""The command line drives Python callables through the engine protocol."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

OPSCOPE = os.environ["OPSCOPE_PROGRAM"]


class Serving(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, text):
        path = os.path.join(self.folder.name, "my_ops.py")
        with open(path, "w") as file:
            file.write(textwrap.dedent(text))
        return path

    def run_with(self, path, *arguments):
        engine = f"{sys.executable} -m opscope serve {path}"
        return subprocess.run([OPSCOPE, arguments[0], "--engine", engine, *arguments[1:]], capture_output=True, text=True)

    def compare(self, path, *arguments):
        return self.run_with(path, "compare", "--device", "host", "--l2", "warm", "--iterations", "10", *arguments)

    def test_a_dictionary(self):
        path = self.write("""
            import opscope
            OPS = {"spins": {"short": (opscope.host.spin, (50_000,)), "long": lambda: opscope.host.spin(200_000)}}
        """)
        listed = self.run_with(path, "list")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("spins", listed.stdout)
        done = self.compare(path, "--op", "spins")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("short", done.stdout)
        self.assertIn("long", done.stdout)

    def test_a_declared_op_with_workloads(self):
        path = self.write("""
            import opscope
            print("what a program prints goes to the log")

            @opscope.op(workloads={"small": {"us": 20}, "large": {"us": 300}}, bytes=lambda us: us * 1e6)
            def spins(us):
                '''Spins for so long.'''
                norm = opscope.host.op("rms_norm", M=2, N=64)
                return {"spin": lambda: opscope.host.spin(us * 1000), "norm": norm}
        """)
        for arguments in (("--workload", "large"), ("--dim", "us=40"), ()):
            with self.subTest(arguments):
                done = self.compare(path, "--op", "spins", *arguments)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("spin", done.stdout)
                self.assertIn("norm", done.stdout)
        done = self.compare(path, "--op", "spins", "--workload", "none")
        self.assertEqual(done.returncode, 5)
        self.assertIn("small, large", done.stderr)

    def test_the_catalogue_is_there_too(self):
        path = self.write("import opscope\nOPS = {'spin': lambda: opscope.host.spin(1000)}\n")
        done = self.compare(path, "--op", "rms_norm", "--dim", "M=4", "--dim", "N=64")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("verified", done.stdout)

    def test_sessions_hold_the_records(self):
        path = self.write("import opscope\nOPS = {'spin': lambda: opscope.host.spin(1000)}\n")
        session = os.path.join(self.folder.name, "s.opscope")
        self.assertEqual(self.compare(path, "--op", "spin", "--session", session).returncode, 0)
        import opscope

        (result,) = opscope.load(session)
        self.assertEqual(result["spin"].samples[0].kernels[0].name, "spin")
        self.assertIn("python", result.environment)

    def test_a_callable_that_raises_takes_itself_alone(self):
        path = self.write("""
            import opscope
            def broken():
                raise ValueError("no such layout")
            OPS = {"op": {"good": lambda: opscope.host.spin(1000), "bad": broken}}
        """)
        done = self.compare(path, "--op", "op")
        text = done.stdout + done.stderr
        self.assertIn("ValueError: no such layout", text)
        self.assertIn("good", done.stdout)
        self.assertEqual(done.returncode, 5)

    def test_making_that_raises_says_where(self):
        path = self.write("""
            import opscope
            @opscope.op(implementations=["a"])
            def op():
                raise KeyError("weights")
        """)
        done = self.compare(path, "--op", "op")
        self.assertEqual(done.returncode, 5)
        self.assertIn("my_ops.py:5", done.stderr)
        self.assertIn("KeyError", done.stderr)

    def test_failing_closed(self):
        path = self.write("""
            import threading
            import opscope
            def elsewhere():
                thread = threading.Thread(target=opscope.host.spin, args=(1000,))
                thread.start()
                thread.join()
            OPS = {"elsewhere": elsewhere, "nothing": lambda: None}
        """)
        done = self.compare(path, "--op", "elsewhere")
        self.assertEqual(done.returncode, 3)
        self.assertIn("backward_of", done.stdout + done.stderr)
        self.assertEqual(self.compare(path, "--op", "nothing").returncode, 3)

    def test_a_file_that_cannot_be_served(self):
        for text, says in (("1 +\n", "SyntaxError"), ("x = 1\n", "no op to serve"), ("import nothing_like_it\n", "nothing_like_it")):
            with self.subTest(text):
                path = self.write(text)
                done = self.compare(path, "--op", "op")
                self.assertEqual(done.returncode, 8, done.stderr)
                self.assertIn(says, done.stderr)

    def test_a_callable_that_ends_the_process(self):
        path = self.write("import os\nOPS = {'op': lambda: os._exit(7)}\n")
        done = self.compare(path, "--op", "op")
        self.assertEqual(done.returncode, 8)
        self.assertIn("7", done.stderr)


if __name__ == "__main__":
    unittest.main()
