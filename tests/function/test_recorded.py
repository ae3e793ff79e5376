"""What functions and graphs print, against TensorFlow 2.21 line by line (`tools/golden/function_texts.py`)."""

import json
import pathlib

import pytest

import reflow as tf
from tests.function import body_texts, error_texts, graph_texts, trace_texts  # noqa: F401 - they register their programs
from tests.function.recorded import PROGRAMS, lines_of

GOLDEN = json.loads((pathlib.Path(__file__).parents[1] / "golden/function_texts.json").read_text())


def test_all_are_recorded():
    assert set(GOLDEN) == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_prints_what_tensorflow_prints(name):
    assert lines_of(tf, PROGRAMS[name]) == GOLDEN[name]
