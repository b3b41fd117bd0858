# SPDX-License-Identifier: Apache-2.0
"""run_guide.py GUIDE.md FOLDER: does what a tutorial says, in an empty folder.

A block with file=NAME is written into that file. A block ```sh is run by bash, line after line, and must end with 0;
```sh gpu and ```sh window only where there is a GPU or the window was built, said visibly when not. A block ```text
after it must be found in its output, line by line: numbers may be others, spaces more, and "..." is anything.
"""

import os
import re
import shutil
import subprocess
import sys


def blocks_of(text):
    for match in re.finditer(r"^```(\S+)([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        yield text.count("\n", 0, match.start()) + 1, match[1], match[2].split(), match[3]


def pattern_of(line):
    """A line as a regular expression: numbers, spaces and dots as the head of this file says."""
    pattern = ""
    for part in re.findall(r"\.\.\.|\s+|\d+(?:[.,]\d+)*|.", line.strip()):
        if part == "...":
            pattern += ".*"
        elif part.isspace():
            pattern += r"\s*"
        elif part[0].isdigit():
            pattern += r"[\d.,]+"
        else:
            pattern += re.escape(part)
    return pattern


def fail(guide, line, message):
    sys.exit(f"{guide}:{line}: {message}")


def main(guide, folder):
    bin_folder, source = os.environ["OPSCOPE_BIN"], os.environ["OPSCOPE_SOURCE_DIR"]
    shims = folder + "-bin"
    for made in (folder, shims):
        shutil.rmtree(made, ignore_errors=True)
        os.makedirs(made)
    # python3 is the interpreter that the module was built for.
    os.symlink(sys.executable, os.path.join(shims, "python3"))
    environment = {
        **os.environ,
        "PATH": os.pathsep.join((bin_folder, shims, os.environ["PATH"])),
        "OPSCOPE_EXAMPLES": os.path.join(source, "docs", "examples"),
        "OPSCOPE_INCLUDE": os.path.join(source, "core"),
    }
    devices = subprocess.run([os.path.join(bin_folder, "opscope"), "list"], capture_output=True, text=True).stdout
    has = {"gpu": "cuda:0" in devices, "window": os.path.exists(os.path.join(bin_folder, "opscope-ui"))}
    with open(guide) as file:
        text = file.read()
    ran, output, skipped = 0, None, set()
    for line, language, words, body in blocks_of(text):
        name = next((word[5:] for word in words if word.startswith("file=")), None)
        if name:
            with open(os.path.join(folder, name), "w") as file:
                file.write(body)
        elif language == "sh":
            missing = [word for word in words if not has[word]]
            if missing:
                print(f"{guide}:{line}: skipped, without {' and '.join(missing)}")
                skipped.update(missing)
                output = None
                continue
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", body], cwd=folder, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            output = done.stdout
            print(f"{guide}:{line}\n{body}{output}", flush=True)
            ran += 1
            if done.returncode != 0:
                fail(guide, line, f"ended with {done.returncode}")
        elif language == "text" and output is not None:
            for number, expected in enumerate(body.splitlines(), line + 1):
                if expected.strip() and not re.search(pattern_of(expected), output):
                    fail(guide, number, f"the output has no line like: {expected}")
    if ran == 0:
        fail(guide, 1, "it has nothing to run")
    print(f"{ran} blocks ran" + (f"; without {', '.join(sorted(skipped))}" if skipped else ""))


if __name__ == "__main__":
    main(*sys.argv[1:])
