"""`tf.image`: quality, stateless changes, boxes.

Values, dtypes, errors and gradients are TensorFlow's (`image_cases.py`).
"""

import pytest

import reflow as tf
from tests.api.image import image_cases as cases
from tests.api.image.pictures import GOLDEN, same


@pytest.mark.parametrize("name", cases.VALUES)
def test_values(name):
    same(cases.VALUES[name](tf), name)


#: these take only NumPy arrays, which a trace holds as constants: nothing of them would be unknown
@pytest.mark.parametrize("name", [n for n in cases.VALUES if n.endswith(("(1, 2)", "tiles", "psnr", "gradients"))])
def test_in_a_function(name):
    same(tf.function(lambda: cases.VALUES[name](tf))(), name)


@pytest.mark.parametrize("name", [key[9:] for key in GOLDEN.records if key.startswith("gradient ")])
def test_gradients(name):
    same(cases.gradients(tf)[name], f"gradient {name}")


@pytest.mark.parametrize("name", cases.ERRORS)
def test_errors(name):
    kind, text = GOLDEN.records[f"error {name}"]
    with pytest.raises(Exception) as raised:
        cases.ERRORS[name](tf)
    assert type(raised.value).__name__ == kind
    first = text.split("\n")[0]
    assert (first.split("data: ")[-1] if kind == "InvalidArgumentError" else first).strip("b'") in str(raised.value)
