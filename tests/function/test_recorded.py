"""What functions and graphs print, against TensorFlow 2.21 line by line (`tools/golden/function_texts.py`)."""


import pytest

import reflow as tf
from tests import recorded
from tests.function import body_texts, error_texts, graph_texts, trace_texts  # noqa: F401 - they register their programs
from tests.function.recorded import PROGRAMS, lines_of

GOLDEN = recorded("function_texts")


def test_all_are_recorded():
    assert set(GOLDEN) == set(PROGRAMS)


@pytest.mark.parametrize("name", PROGRAMS)
def test_prints_what_tensorflow_prints(name):
    assert lines_of(tf, PROGRAMS[name]) == GOLDEN[name]
