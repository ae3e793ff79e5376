"""`tf.compat.v1.app` and `tf.compat.v1.flags`: command-line handling with Abseil."""

from __future__ import annotations

import sys

from absl import app as absl_app

from reflow.api.export import export, export_value
from reflow.compat.program import flags

export_value(flags, "compat.v1.flags", "compat.v1.app.flags")


def _known(argv):
    """Take the flags that are defined, and leave the other arguments to the program."""
    return flags.FLAGS(argv, known_only=True)


@export("compat.v1.app.run")
def run(main=None, argv=None):
    """Read the flags, call `main(argv)` (that of the program if none is given), and end the process with its result.

    >>> def main(argv):
    ...     print("hello")
    >>> try:
    ...     tf.compat.v1.app.run(main, argv=["program"])
    ... except SystemExit as end:
    ...     print("ended with", end.code)
    hello
    ended with None
    """
    main = main or sys.modules["__main__"].main  # type: ignore[attr-defined]
    absl_app.run(main=main, argv=argv, flags_parser=_known)
