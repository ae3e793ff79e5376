"""`tf.print`, `tf.Assert`: texts recorded from real TensorFlow 2.21."""

import collections
import sys

import numpy as np
import pytest

import reflow as tf

Pair = collections.namedtuple("Pair", "a b")


def printed(capsys, *values, **options):
    tf.print(*values, output_stream=sys.stdout, **options)
    return capsys.readouterr().out


TEXTS = [
    (lambda: tf.range(10), "[0 1 2 ... 7 8 9]"),
    (lambda: tf.reshape(tf.range(8), [2, 2, 2]), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"),
    (
        lambda: tf.reshape(tf.range(100), [10, 10])[:, :2],
        "[[0 1]\n [10 11]\n [20 21]\n ...\n [70 71]\n [80 81]\n [90 91]]",
    ),
    (lambda: tf.constant([1.0, 2.5, 1e-10, np.nan, np.inf, -np.inf]), "[1 2.5 1e-10 nan inf -inf]"),
    (lambda: tf.constant([1 / 3, 100000.0, 1e6, 123456789.0, 0.00001]), "[0.333333343 100000 1e+06 123456792 1e-05]"),
    (lambda: tf.constant([1 / 3, 1e22], tf.float64), "[0.33333333333333331 1e+22]"),
    (lambda: tf.constant([1.5, 1 / 3], tf.bfloat16), "[1.5 0.333984375]"),
    (lambda: tf.constant(["a", 'b"c']), '["a" "b\\"c"]'),
    (lambda: tf.constant("s"), "s"),
    (lambda: tf.constant([True, False]), "[1 0]"),
    (lambda: tf.constant([1 + 2j]), "[?]"),
    (lambda: tf.zeros([0]), "[]"),
    (lambda: tf.zeros([2, 0]), "[\n ...]"),
    (lambda: None, "None"),
    (lambda: {"b": tf.range(3), "a": 1}, "{'a': 1, 'b': [0 1 2]}"),
    (lambda: Pair(1, tf.constant(2)), "Pair(a=1, b=2)"),
    (lambda: [tf.range(3), "x", {"k": [1, (tf.constant(1),)]}], "[[0 1 2], 'x', {'k': [1, (1,)]}]"),
    (lambda: {}, "{}"),
    (lambda: "{}", "{}"),
    (lambda: np.arange(3.0), "array([0., 1., 2.])"),
    (lambda: tf.Variable([1.0, 2.0]), "[1 2]"),
    (
        lambda: tf.sparse.from_dense([[1, 0], [0, 2]]),
        "'SparseTensor(indices=[[0 0]\n [1 1]], values=[1 2], shape=[2 2])'",
    ),
    (lambda: tf.ragged.constant([[1, 2] * 5, [3]]), "[[1, 2, 1, ..., 2, 1, 2], [3]]"),
    (lambda: tf.ragged.constant([[1.5, 1e10], [], [1e-9]]), "[[1.500000, 10000000000.000000], [], [0.000000]]"),
    (lambda: tf.ragged.constant([[True], [False]]), "[[true], [false]]"),
]


@pytest.mark.parametrize("make, text", TEXTS, ids=[t.split("\n")[0] for _, t in TEXTS])
def test_print(capsys, make, text):
    assert printed(capsys, make()) == text + "\n"


def test_print_options(capsys):
    assert printed(capsys, "a", 1, tf.range(3), "b", sep="|") == "a|1|[0 1 2]|b\n"
    assert printed(capsys, "a", tf.range(7), end="E\n", summarize=1) == "a [0 ... 6]E\n"
    assert printed(capsys, tf.range(8), summarize=-1) == "[0 1 2 3 4 5 6 7]\n"
    assert printed(capsys, "{}", tf.constant("s"), {"a": "it's"}) == '{} "s" {\'a\': "it\'s"}\n'
    assert printed(capsys) == "\n"
    tf.print("to stderr")
    assert capsys.readouterr().err == "to stderr\n"


def test_print_to_a_file(tmp_path):
    tf.print("a", output_stream=f"file://{tmp_path}/out.txt")
    tf.print("b", output_stream=f"file://{tmp_path}/out.txt")
    assert (tmp_path / "out.txt").read_text() == "a\nb\n"


def test_print_refuses():
    with pytest.raises(ValueError, match="Unrecognized keyword arguments for tf.print: {'foo': 2}"):
        tf.print(1, foo=2)
    with pytest.raises(ValueError, match="Unsupported output stream, logging level, or file.3. Supported streams are "
                       "sys.stdout"):
        tf.print(1, output_stream=3)


def test_print_in_a_function(capsys):
    @tf.function
    def f(x):
        tf.print("x:", x, [x, 1], output_stream=sys.stdout)
        return x

    f(tf.range(4))
    f(tf.range(4))
    assert capsys.readouterr().out == "x: [0 1 2 3] [[0 1 2 3], 1]\n" * 2
    nodes = {n.type: n for n in f.get_concrete_function(tf.range(4)).graph.get_operations()}
    assert nodes["StringFormat"].get_attr("template") == b"x: {} [{}, 1]"
    assert nodes["PrintV2"].get_attr("output_stream") == b"stdout"


def test_the_assert_op_shows_arrays_as_tensorflow_does():
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.raw_ops.Assert(
            condition=False,
            data=[tf.range(5), "x", tf.zeros([2, 2]), [True, False], tf.reshape(tf.range(8), [2, 2, 2])],
        )
    assert "assertion failed: [0 1 2...] [x] [[0 0][0...]...] [1 0] [[[0 1][2...]]...]" in str(caught.value)


def test_a_condition_that_holds_leaves_its_data_alone():
    assert tf.Assert(True, tf.constant([1])) is None
    with pytest.raises(TypeError, match="values must be a sequence"):
        tf.Assert(False, tf.constant([1]))
