# SPDX-License-Identifier: Apache-2.0
"""The package as pip lays it out: everything in one folder, found from there and from nowhere else."""

import os
import subprocess
import sys
import tempfile
import unittest

CMAKE, BUILD = os.environ["OPSCOPE_CMAKE"], os.environ["OPSCOPE_BINARY_DIR"]

MEASURE = """
import os, opscope
here = os.path.dirname(opscope.__file__)
assert here.startswith({folder!r}), here
samples = opscope.bench_kernel(opscope.host.op("rms_norm", "one-pass", M=8, N=256), device="host", l2="warm",
                               warmup_ms=0, iterations=10)
assert len(samples) == 10 and samples[0].n_kernels == 1
for module in ("libopscope_nvtx.so", "libopscope_cuda.so"):
    print(module, os.path.exists(os.path.join(here, module)))
for state, subject, sentence, remedy in opscope.diagnose():
    print(state, subject, sentence, sep="|")
"""


class Installed(unittest.TestCase):
    def test_a_package_of_its_own_measures_and_finds_its_parts(self):
        with tempfile.TemporaryDirectory() as folder:
            installed = subprocess.run(
                [CMAKE, "--install", BUILD, "--component", "python", "--prefix", folder], capture_output=True, text=True)
            self.assertEqual(installed.returncode, 0, installed.stderr)
            environment = {name: value for name, value in os.environ.items()
                           if not name.startswith(("OPSCOPE_", "PYTHON", "NVTX_"))}
            environment["PYTHONPATH"] = folder
            done = subprocess.run([sys.executable, "-c", MEASURE.format(folder=folder)], capture_output=True, text=True,
                                  cwd=folder, env=environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            said = done.stdout
            if "libopscope_nvtx.so True" in said:
                self.assertIn("|NVTX ranges|What an op marks by NVTX is recorded.", said)
            if "libopscope_cuda.so True" in said:
                self.assertNotIn("This build has no CUDA module", said)


if __name__ == "__main__":
    unittest.main()
