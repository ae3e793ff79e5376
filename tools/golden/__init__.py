"""What real TensorFlow 2.21 gives for the cases of the tests, recorded in `tests/golden/` (`make golden`).

Every module of this package is a script that records one group of files; `manifest.py` lists them. `make golden` runs
them all, `make golden ONLY="ops nn"` some, and notes in `tests/golden/manifest.json` by which script and which
TensorFlow each file was made. By hand, from the repository's folder:

    PYTHON -m tools.golden.NAME                    # a Python that has TensorFlow: record
    .venv/bin/python -m reflow -m tools.golden.NAME --write FOLDER     # Reflow writes such files, too (some scripts)
    PYTHON -m tools.golden.NAME --check FOLDER     # TensorFlow reads those and compares

By hand the manifest stays as it was, and `tests/test_golden.py` will say so.
"""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from tests import GOLDEN, ROOT

__all__ = ["GOLDEN", "ROOT", "run"]

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before any of the scripts imports TensorFlow
if "REFLOW_SITE_PACKAGES" in os.environ:
    # tf.summary needs TensorBoard, which TensorFlow's wheel does not bring: Reflow's serves. Last, so that the others
    # are TensorFlow's own.
    sys.path.append(os.environ["REFLOW_SITE_PACKAGES"])


def run(
    record: Callable[[], object],
    write: Callable[[Path], object] | None = None,
    check: Callable[[Path], bool] | None = None,
) -> None:
    """The command line of a script.

    Args:
      record: writes the recording. Runs where TensorFlow is.
      write: writes the same kind of files into a folder. Runs where Reflow is.
      check: whether TensorFlow reads from such a folder what it should. Runs where TensorFlow is.
    """
    parser = argparse.ArgumentParser(description=f"Without options: {record.__doc__ or 'record what TensorFlow gives'}")
    if write and check:
        parser.add_argument("--write", metavar="FOLDER", type=Path, help="Reflow writes its files into FOLDER")
        parser.add_argument(
            "--check", metavar="FOLDER", type=Path, help="TensorFlow reads what Reflow wrote into FOLDER"
        )
    options = vars(parser.parse_args())
    if write and options.get("write"):
        options["write"].mkdir(parents=True, exist_ok=True)
        write(options["write"])
    elif check and options.get("check"):
        sys.exit(0 if check(options["check"]) else 1)
    else:
        record()
