"""Records what programs under `tf.distribute` strategies print, by real TensorFlow 2.21.

$REFLOW_TF_PYTHON -m tools.golden.distribute
"""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "tests" / "distribute" / "programs"
PROGRAMS = sorted(FOLDER.glob("*.py"))


if __name__ == "__main__":
    for program in PROGRAMS:
        done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, check=True)
        program.with_suffix(".txt").write_text(done.stdout)
