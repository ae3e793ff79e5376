"""Records what programs under `tf.distribute` strategies print, by real TensorFlow 2.21."""

import subprocess
import sys

from tools.golden import ROOT

FOLDER = ROOT / "tests" / "distribute" / "programs"
PROGRAMS = sorted(FOLDER.glob("*.py"))


if __name__ == "__main__":
    for program in PROGRAMS:
        done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True)
        program.with_suffix(".txt").write_text(done.stdout)
