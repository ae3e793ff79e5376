"""ONNX' own node tests, a few modules at a time: `tools/onnx_tests.py` runs all of them."""

import importlib
import warnings

import pytest

from tools.onnx_tests import listed, outcome

CASES = "onnx.backend.test.case.node"


def _made(module: str) -> list:
    """The cases of one module of onnx.

    Importing it makes them; the public loader would make all 1,900, which takes 8 seconds.
    """
    package = importlib.import_module(CASES)
    before = len(package._NodeTestCases)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the generators overflow and divide by zero on purpose
        importlib.import_module(f"{CASES}.{module}")
    return package._NodeTestCases[before:]


def node_tests(*modules: str):
    """A test for each of these modules: all its cases that are not listed as failing.

    The cases are made when the test runs. Making them while pytest collects took every worker 12 seconds.
    """

    @pytest.mark.parametrize("module", modules)
    def test(module):
        known, cases = listed(), _made(module)
        assert cases
        failed = {case.name: why for case in cases if case.name not in known and (why := outcome(case))}
        assert not failed

    return test
