"""Runs programs of `examples/` as `python -m reflow PROGRAM --fast` would, each in a process of its own.

The processes are forked from one that has imported Reflow, Keras and JAX and has used none of them: the imports are two
seconds of every program, and are paid once. Prints one JSON object: program -> [exit status, output].
"""

import json
import os
import sys
import tempfile

import jax  # noqa: F401
import keras.src.backend.tensorflow  # noqa: F401

from reflow.__main__ import main
from reflow.compile import batched_rules, call_rules, loops, plan  # noqa: F401


def run(path: str) -> tuple[int, str]:
    """Exit status and output of a program."""
    with tempfile.TemporaryFile() as output:
        child = os.fork()
        if not child:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
            _become(path)
        _, status = os.waitpid(child, 0)
        output.seek(0)
        return os.waitstatus_to_exitcode(status), output.read().decode()


def _become(path: str):
    """Run the program, and end this process with its status."""
    status = 1
    try:
        status = main([path, "--fast"]) or 0
    except SystemExit as stop:
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    print(json.dumps({path: run(path) for path in sys.argv[1:]}))
