"""What does not fit is refused while it is traced, with TensorFlow's class and words
(`tools/golden/shape_texts.py`)."""


import pytest

import reflow as tf
from tests import recorded
from tests.function.shape_cases import CASES, observe

GOLDEN = recorded("shape_texts")
#: where TensorFlow stumbles, or lets pass what can never run
OTHER_CLASS = {
    "cond structures": "TypeError",  # TensorFlow: AssertionError: [1, 2]
    "foldl scalar": "ValueError",  # TensorFlow: IndexError: tuple index out of range
    "while invariants": "ValueError",  # TensorFlow: none
}
#: the class is TensorFlow's, the words are ours: they name other tensors, or come from another step of the same
#: computation
OTHER_WORDS = {
    *("sequence mask", "sort axis", "confusion matrix", "conv2d format", "scan structure", "while structure"),
    *("a ragged list", "constant shape", "constant text as number", "cond shapes", "switch case dtypes"),
}
#: the words are TensorFlow's, the node they are about has another name or other inputs
OTHER_NODE = {
    *(
        "matvec",
        "tensordot",
        "einsum",
        "einsum rank",
        "clip",
        "stack",
        "stack ranks",
        "split sizes",
        "range of a vector",
    ),
    *("in top k", "moments axis", "conv1d depth", "separable", "batch norm by hand", "l2 normalize", "softmax xent"),
    *("softmax xent rows", "rgb to gray", "triangular solve", "trace", "lstsq"),
}


def class_of(text):
    return text.split(":")[0]


def words_of(text):
    return text.split(" for '{{node")[0]


@pytest.mark.parametrize("name", CASES)
def test_is_refused_as_by_tensorflow(name):
    expected, got = GOLDEN[name], observe(tf, *CASES[name])
    if name in OTHER_CLASS:
        assert class_of(got) == OTHER_CLASS[name] != class_of(expected)
        return
    assert class_of(got) == class_of(expected), f"{got}\n{expected}"
    if name in OTHER_NODE:
        assert words_of(got) == words_of(expected)
    elif name not in OTHER_WORDS:
        assert got == expected


def test_all_are_recorded():
    assert set(GOLDEN) == set(CASES)


def test_what_tensorflow_finds_when_it_runs():
    """These can be traced; they fail when they run, with the words of the kernels."""
    x = tf.ones([2, 3])
    for function, words in (
        (lambda x: tf.transpose(x, [0, 0]), "1 is missing from {0,0}"),
        (lambda x: tf.reshape(x, [-1, -1]), "Only one input size may be -1, not both 0 and 1"),
        (lambda x: tf.slice(x, [0, 0], [3, 3]), r"Expected size\[0\] in \[0, 2\], but got 3"),
    ):
        traced = tf.function(function)
        traced.get_concrete_function(x)
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError, match=words):
                traced(x)
