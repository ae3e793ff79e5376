"""Runs the programs of TensorFlow 1 in `programs/`, one after the other in one process, each with an empty default
graph.

`test_v1_programs.py` runs this on Reflow; `tools/golden/v1_session.py` recorded in `v1_programs.txt` what TensorFlow's
`tf.compat.v1` prints. Names on the command line choose programs.
"""

import os
import runpy
import sys
import tempfile
import traceback
from pathlib import Path

import tensorflow.compat.v1 as tf

PROGRAMS = Path(__file__).parent / "programs"

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
for path in sorted(PROGRAMS.rglob("*.py")):
    if len(sys.argv) > 1 and path.stem not in sys.argv[1:]:
        continue
    print("##", path.stem)
    tf.reset_default_graph()
    os.chdir(tempfile.mkdtemp())
    try:
        runpy.run_path(str(path))
    except Exception as error:
        traceback.print_exc()
        print("failed:", type(error).__name__, str(error).splitlines()[:1])
