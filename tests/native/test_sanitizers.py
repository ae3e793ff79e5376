"""`make sanitize`, which `.ci/run` runs for every change.

The kernels in C++ under the sanitizers, on random and hostile sizes.
"""

from reflow.native.build import FLAGS
from tests import ROOT
from tools import fuzz_kernels


def test_the_sanitizers_are_asked_for():
    assert (
        "-fsanitize=address,undefined" in fuzz_kernels.SANITIZED and set(FLAGS) - {"-O3"} < set(fuzz_kernels.SANITIZED)
    )


def test_every_change_runs_them():
    assert "make sanitize" in (ROOT / ".ci" / "run").read_text()
