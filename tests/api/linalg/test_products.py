"""`reflow/api/linalg/products.py`: what TensorFlow prints for the expressions of `products.txt`."""

import numpy as np
import pytest

import reflow as tf
from tests.expressions import session

test_expressions = session(__file__)


def test_einsum_with_repeated_labels_in_its_result():
    """The values stand on a diagonal: also infinite ones, and their gradient is read there."""
    x = tf.constant([[1.0, 2.0], [3.0, np.inf]])
    wanted = np.zeros((2, 2, 2), np.float32)
    for a in range(2):
        for b in range(2):
            wanted[b, a, b] = x[a, b]
    for jit in (False, True):
        found = tf.function(lambda x: tf.raw_ops.Einsum(inputs=[x], equation="ab->bab"), jit_compile=jit)(x)
        np.testing.assert_array_equal(found, wanted)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.Einsum(inputs=[x], equation="ab->bab") * np.arange(8.0, dtype=np.float32).reshape(2, 2, 2)
    np.testing.assert_array_equal(tape.gradient(y, x), [[0.0, 5.0], [2.0, 7.0]])
    with pytest.raises(ValueError, match="a label appearing more than once"):
        tf.einsum("a->aa", x[0])


@pytest.mark.parametrize(
    "equation, shapes",
    [("ij...,jk...->ik...", [(3, 2, 1), (2, 4)]), ("i...j,j...k->i...k", [(3, 1, 2, 2), (2, 2, 3, 1, 4)])],
)
def test_einsum_gradient_where_an_inner_ellipsis_is_broadcast(equation, shapes):
    values = [np.random.RandomState(i).randn(*s) for i, s in enumerate(shapes)]
    theory, numeric = tf.test.compute_gradient(lambda *x: tf.einsum(equation, *x), values)
    for a, b in zip(theory, numeric, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-6)


def test_einsum_writes_its_result_into_the_equation():
    """TensorFlow's op has no implicit form, so neither has a file."""
    concrete = tf.function(
        lambda x, y: tf.einsum("ij , jk", x, y)
    ).get_concrete_function(tf.ones([2, 3]), tf.ones([3, 4]))
    (node,) = [n for n in concrete.graph.get_operations() if n.type == "Einsum"]
    assert node.get_attr("equation") == b"ij,jk->ik"
    for equation in ("ij->i->j", "i1->i", "i..j->i"):
        with pytest.raises(ValueError, match="Subscripts have incorrect format"):
            tf.einsum(equation, tf.ones([2, 3]))
