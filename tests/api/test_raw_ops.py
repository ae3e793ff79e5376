"""`tf.raw_ops`: every op as a function of keywords."""

import numpy as np
import pytest

import reflow as tf
from reflow.graph import ref_variables
from reflow.ops import registry
from tests.expressions import session

test_expressions = session(__file__)


def test_raw_ops():
    raw = tf.raw_ops
    assert raw.Add(x=1, y=tf.constant(2.0)).numpy() == 3.0
    assert raw.Pack(values=[1, 2], axis=0).numpy().tolist() == [1, 2]
    assert [t.numpy().tolist() for t in raw.Split(axis=0, value=tf.range(4), num_split=2)] == [[0, 1], [2, 3]]
    top = raw.TopKV2(input=tf.range(4), k=2)
    assert type(top).__name__ == "TopKV2"
    assert top.values.numpy().tolist() == [3, 2] and top.indices.numpy().tolist() == [3, 2]
    assert raw.Cast(x=tf.range(2), DstT=tf.float32, name="hi").dtype is tf.float32
    assert raw.NoOp() is None
    assert raw.Sum(input=[[1, 2]], axis=1).numpy().tolist() == [3]


@pytest.mark.parametrize("call, error, message", [
    (
        lambda r: r.Add(1, 2), TypeError,
        "add only takes keyword args (possible keys: ['x', 'y', 'name']). Please pass these args as kwargs instead.",
    ),
    (lambda r: r.Add(x=1, z=2), TypeError, "add() got an unexpected keyword argument 'z'"),
    (lambda r: r.Add(x=1), TypeError, "add() missing 1 required positional argument: 'y'"),
    (lambda r: r.Cast(x=1), TypeError, "cast() missing 1 required positional argument: 'DstT'"),
    (
        lambda r: r.MatMul(a=[[1.0]], b=[[1.0]], transpose_a=3), TypeError,
        "Expected bool for argument 'transpose_a' not 3.",
    ),
    (lambda r: r.Foo, AttributeError, "module 'tf.raw_ops' has no attribute 'Foo'"),
])
def test_raw_ops_refuse(call, error, message):
    with pytest.raises(error) as caught:
        call(tf.raw_ops)
    assert str(caught.value) == message


def test_every_op_has_a_raw_function():
    for name in dir(tf.raw_ops):
        function = getattr(tf.raw_ops, name)
        assert list(function.__signature__.parameters)[-1] == "name"
        assert name in registry.REGISTRY or ref_variables.resource_form(name) in registry.REGISTRY


def test_raw_ops_in_a_graph():
    @tf.function
    def f(x):
        return tf.raw_ops.MatMul(a=x, b=x, transpose_b=True)

    assert f(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[5.0]]


def test_a_graph_names_the_parameter_that_a_value_does_not_fit():
    """Eager code says only what was expected, as in TensorFlow."""
    text = "Expected int32 passed to parameter 'y' of op 'Add', got 1.5 of type 'float' instead. Error: Expected int32"
    with tf.Graph().as_default(), pytest.raises(TypeError, match=text):
        tf.raw_ops.Add(x=tf.constant(1), y=1.5)
    with tf.Graph().as_default(), pytest.raises(TypeError, match="of type 'list' instead. Error: Expected bool"):
        tf.logical_and([1, 2], [True])
    with pytest.raises(TypeError) as eager:
        tf.raw_ops.Add(x=tf.constant(1), y=1.5)
    assert "passed to parameter" not in str(eager.value)


@pytest.mark.parametrize(
    "call, result, after",
    [
        (lambda raw, v, n: raw.ApplyGradientDescent(var=v, alpha=0.5, delta=[1.0, 2.0]), [0.5, 1.0], [0.5, 1.0]),
        (
            lambda raw, v, n: raw.SparseApplyProximalGradientDescent(
                var=v, alpha=0.5, l1=0.0, l2=0.0, grad=[1.0], indices=[1]
            ),
            [1.0, 1.5], [1.0, 1.5],
        ),
        (lambda raw, v, n: raw.Assign(ref=v, value=[3.0, 4.0]), [3.0, 4.0], [3.0, 4.0]),
        (lambda raw, v, n: raw.ScatterMul(ref=v, indices=[0], updates=[5.0]), [5.0, 2.0], [5.0, 2.0]),
        (lambda raw, v, n: raw.CountUpTo(ref=n, limit=5), 3, [1.0, 2.0]),
        (lambda raw, v, n: raw.IsVariableInitialized(ref=v), True, [1.0, 2.0]),
    ],
)
def test_ops_on_references_run_on_variables(call, result, after):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        v, n = v1.Variable([1.0, 2.0]), v1.Variable(3)
        value = call(tf.raw_ops, v, n)
        session.run(v1.global_variables_initializer())
        assert session.run(value).tolist() == result and session.run(v).tolist() == after


def test_ops_on_references_refuse_values_and_eager_code():
    text = "apply_gradient_descent op does not support eager execution. Arg 'out' is a ref."
    with pytest.raises(RuntimeError, match=text):
        tf.raw_ops.ApplyGradientDescent(var=1.0, alpha=0.1, delta=1.0)
    text = "'ApplyGradientDescent' Op requires that input 'var' be a mutable tensor"
    with tf.Graph().as_default(), pytest.raises(TypeError, match=text):
        tf.raw_ops.ApplyGradientDescent(var=[1.0], alpha=0.1, delta=[1.0])
    with pytest.raises(TypeError, match="assign only takes keyword args"):
        tf.raw_ops.Assign(1)


@pytest.mark.parametrize(
    "call, results",
    [
        (lambda raw: raw.Range(start=0, limit=[4], delta=1), [[0, 1, 2, 3]]),
        (lambda raw: raw.Fill(dims=2, value=5), [[5, 5]]),
        (lambda raw: raw.Reshape(tensor=[[1], [2]], shape=-1), [[1, 2]]),
        (lambda raw: raw.LoopCond(input=[True]), [[True]]),
        (lambda raw: raw.SplitV(value=[1, 2, 3], size_splits=[1, 2], axis=[[0]], num_split=2), [[1], [2, 3]]),
        (lambda raw: raw.ReverseV2(tensor=3, axis=[0, -1]), [3]),
        (lambda raw: raw.StringJoin(inputs=[], separator="x"), [b""]),
        (lambda raw: raw.SparseReshape(input_indices=[[0, 1], [3, 4]], input_shape=[2, 3], new_shape=[3, -1]),
         [[[0, 1], [6, 1]], [3, 2]]),
    ],
)
def test_kernels_take_more_than_graph_construction(call, results):
    found = call(tf.raw_ops)
    found = found if isinstance(found, (list, tuple)) else [found]
    assert [np.asarray(x).tolist() for x in found] == results


def test_both_ways_to_count_pixels_at_once():
    grads = tf.reshape(tf.range(1.0, 11.0), [1, 5, 2, 1])
    back = tf.raw_ops.ResizeNearestNeighborGrad(
        grads=grads, size=[3, 2], align_corners=True, half_pixel_centers=True
    )
    assert back.numpy().ravel().tolist() == [0, 3, 0, 18, 0, 34]
    with pytest.raises(tf.errors.InvalidArgumentError, match="align_corners must be False"):
        tf.raw_ops.ResizeNearestNeighbor(images=grads, size=[3, 2], align_corners=True, half_pixel_centers=True)
