"""Records what a program of TensorFlow 1 prints, by real TensorFlow 2.21's `tf.compat.v1`."""

import subprocess
import sys

from tools.golden import ROOT

FOLDER = ROOT / "tests" / "compat"


if __name__ == "__main__":
    done = subprocess.run([sys.executable, str(FOLDER / "v1_program.py")], capture_output=True, text=True, check=True)
    (FOLDER / "v1_program.txt").write_text(done.stdout)
