"""Records what programs of TensorFlow 1 print, by real TensorFlow 2.21's `tf.compat.v1`."""

import subprocess
import sys

from tools.golden import ROOT

FOLDER = ROOT / "tests" / "compat"


if __name__ == "__main__":
    for script in ("v1_program", "v1_programs"):
        done = subprocess.run(
            [sys.executable, str(FOLDER / f"{script}.py")], capture_output=True, text=True, check=True
        )
        (FOLDER / f"{script}.txt").write_text(done.stdout)
