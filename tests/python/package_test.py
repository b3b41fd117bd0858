# SPDX-License-Identifier: Apache-2.0
"""The package itself: what a type checker and a reader see of it."""

import ast
import inspect
import os
import subprocess
import sys
import unittest

import opscope

PACKAGE = os.path.join(os.environ["OPSCOPE_SOURCE_DIR"], "python", "opscope")


class Package(unittest.TestCase):
    def test_the_stub_says_what_the_module_has(self):
        with open(os.path.join(PACKAGE, "_core.pyi")) as file:
            stub = ast.parse(file.read())
        said = {}
        for node in stub.body:
            if isinstance(node, ast.ClassDef):
                said[node.name] = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
            elif isinstance(node, ast.FunctionDef):
                said[node.name] = None
        there = {name for name in dir(opscope._core) if not name.startswith("_")}
        self.assertEqual(set(said), there)
        for name, members in said.items():
            if members is None:
                continue
            has = {m for m in vars(getattr(opscope._core, name)) if not m.startswith("_")}
            self.assertEqual({m for m in members if not m.startswith("_")}, has, name)

    def test_everything_public_is_explained(self):
        for name in opscope.__all__:
            value = getattr(opscope, name)
            if inspect.isfunction(value) or inspect.ismodule(value):
                self.assertTrue(inspect.getdoc(value), name)

    def test_it_is_typed(self):
        self.assertTrue(os.path.exists(os.path.join(PACKAGE, "py.typed")))

    def test_importing_it_imports_no_gpu_library(self):
        code = "import opscope, sys; print([m for m in ('torch', 'cupy', 'triton', 'numpy', 'tqdm') if m in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertEqual(done.stdout.strip(), "[]", done.stderr)

    def test_the_program(self):
        run = lambda *words: subprocess.run([sys.executable, "-m", "opscope", *words], capture_output=True, text=True)
        self.assertEqual(run("--version").stdout.strip(), opscope.__version__)
        self.assertIn("host CPU", run("devices").stdout)
        self.assertIn("Host device", run("doctor").stdout)
        missing = run("serve", "missing.py")
        self.assertEqual(missing.returncode, 5)
        self.assertIn("is no Python file", missing.stderr)


if __name__ == "__main__":
    unittest.main()
