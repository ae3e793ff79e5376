"""ONNX' own node tests, a few modules at a time: `tools/onnx_tests.py` runs all of them."""

import functools
import importlib
import warnings

import pytest

from tools.onnx_tests import listed, outcome

CASES = "onnx.backend.test.case.node"


@functools.cache
def _collected(module: str) -> list:
    """The cases of one module of onnx. Importing it makes them; the public loader would make all 1,900, which takes 8 seconds."""
    package = importlib.import_module(CASES)
    before = len(package._NodeTestCases)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the generators overflow and divide by zero on purpose
        importlib.import_module(f"{CASES}.{module}")
    return package._NodeTestCases[before:]


def node_cases(*modules: str):
    """A decorator: run a test for every case in these modules that is not listed as failing."""
    known = listed()
    cases = [case for module in modules for case in _collected(module) if case.name not in known]
    return pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in cases])


def check(case) -> None:
    assert outcome(case) is None
