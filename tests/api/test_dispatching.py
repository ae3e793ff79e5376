"""`tf.experimental.dispatch_for_api` and its family. Every test has types of its own: what is registered stays."""

import inspect
import marshal
import sys
import traceback
import types
import typing

import pytest

import reflow as tf


def new_type():
    class Boxed(tf.experimental.ExtensionType):
        value: tf.Tensor

    return Boxed


def test_a_function_is_replaced_for_a_type_and_stays_itself():
    Boxed, function, signature = new_type(), tf.concat, inspect.signature(tf.concat)

    @tf.experimental.dispatch_for_api(tf.concat, {"values": list[Boxed]})
    def concat_boxed(values, axis, name="concat"):
        return Boxed(tf.concat([v.value for v in values], axis))

    assert tf.concat is function and inspect.signature(tf.concat) == signature
    assert tf.concat([Boxed([1]), Boxed([2])], axis=0).value.numpy().tolist() == [1, 2]
    assert tf.concat(values=([1], [2]), axis=0).numpy().tolist() == [1, 2]
    with tf.Graph().as_default():
        assert tf.concat([[1], [2]], 0).name == "concat:0"
    with pytest.raises(ValueError, match="unsupported type"):
        tf.concat([Boxed([1]), [2]], 0)


def test_annotations_are_a_signature():
    Boxed = new_type()

    @tf.experimental.dispatch_for_api(tf.add)
    def add_boxed(x: Boxed | tf.Tensor, y: Boxed | tf.Tensor, name=None):
        return "boxed", name

    assert tf.add(Boxed(1), tf.constant(2), name="n") == ("boxed", "n")
    assert tf.constant(1) + Boxed(2) == ("boxed", None)
    assert tf.add(1, 2).numpy() == 3


def test_elementwise_functions_all_at_once():
    Boxed = new_type()

    @tf.experimental.dispatch_for_unary_elementwise_apis(Boxed)
    def unary(api, x):
        return Boxed(api(x.value))

    @tf.experimental.dispatch_for_binary_elementwise_apis(Boxed, Boxed)
    def binary(api, x, y):
        return Boxed(api(x.value, y.value))

    @tf.experimental.dispatch_for_binary_elementwise_assert_apis(Boxed, Boxed)
    def compare(api, x, y):
        return api(x.value, y.value)

    assert tf.cast(tf.nn.relu(Boxed([-1.0, 2.0])), tf.int32).value.numpy().tolist() == [0, 2]
    assert tf.math.multiply(Boxed(2), Boxed(3)).value.numpy() == 6
    assert tf.clip_by_value(Boxed(5), 0, 3).value.numpy() == 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="x == y did not hold"):
        tf.debugging.assert_equal(Boxed(1), Boxed(2))
    with pytest.raises(ValueError, match="has already been registered for"):
        tf.experimental.dispatch_for_unary_elementwise_apis(Boxed)(unary)


@pytest.mark.parametrize(
    ("signature", "target", "error"),
    [
        (
            {"x": list}, lambda a, b: 1,
            r"signature \(a, b, name=None\) does not match API's signature \(x, y, name=None\)",
        ),
        ({"z": list}, lambda x, y, name=None: 1, "unknown parameter 'z'"),
        ({"x": 5}, lambda x, y, name=None: 1, "Type annotation 5 is not currently supported"),
        (None, lambda x, y, name=None: 1, "must be called with at least one signature"),
    ],
)
def test_what_cannot_be_registered(signature, target, error):
    with pytest.raises(ValueError, match=error):
        tf.experimental.dispatch_for_api(tf.subtract, *([] if signature is None else [signature]))(target)


def test_only_public_functions_dispatch():
    with pytest.raises(ValueError, match="does not support dispatch"):
        tf.experimental.dispatch_for_api(lambda x: x, {"x": list})
    with pytest.raises(TypeError, match="must be dictionaries"):
        tf.experimental.dispatch_for_api(tf.subtract, 3)


def test_registrations_can_be_taken_back():
    class Pair(tf.experimental.ExtensionType):
        first: tf.Tensor

    @tf.experimental.dispatch_for_api(tf.identity, {"input": Pair})
    def identity(input, name=None):
        return "mine"

    assert tf.identity(Pair(1)) == "mine"
    tf.experimental.unregister_dispatch_for(identity)
    assert tf.identity(Pair(1)) != "mine"
    with pytest.raises(ValueError, match="was not registered using"):
        tf.experimental.unregister_dispatch_for(identity)


def test_a_target_without_a_name():
    class Held(tf.experimental.ExtensionType):
        values: tf.Tensor

    @tf.experimental.dispatch_for_api(tf.stack)
    def stacked(values: typing.List[Held], axis=0):  # noqa: UP006 - as TensorFlow's guide writes it
        return Held(tf.stack([v.values for v in values], axis))

    assert tf.stack([Held([1]), Held([2])], name="both").values.numpy().tolist() == [[1], [2]]
    with tf.Graph().as_default():
        assert tf.stack([Held([1]), Held([2])], name="both").values.name == "both/stack:0"


def test_frames_of_a_dispatched_function_show_their_locals():
    """Debuggers, pytest and error reporters read them.

    Functions of one input are closures: their code names free variables.
    """

    Boxed = new_type()

    @tf.experimental.dispatch_for_api(tf.math.atanh, {"x": Boxed})
    def atanh_boxed(x, name=None):
        return Boxed(tf.math.atanh(x.value))

    assert tf.math.atanh.__closure__
    tf.debugging.disable_traceback_filtering()  # Keras' wrapper, if there is one, would hide these frames
    try:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            tf.math.atanh(tf.constant([1, 2]))
    finally:
        tf.debugging.enable_traceback_filtering()
    shown = [frame.f_locals for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    assert any("kwargs" in names for names in shown)
    lines = [frame.line for frame in traceback.extract_tb(caught.value.__traceback__) if frame.name == "forward"]
    assert lines == ["return _api.call(args, kwargs)"]
    assert tf.math.atanh(Boxed([0.0])).value.numpy().tolist() == [0.0]


@pytest.mark.parametrize("function", [tf.math.acosh, tf.math.log1p, tf.strings.upper])
def test_a_dispatched_function_can_be_rebuilt_from_its_code(function):
    """Keras 2 saves the function of a `Lambda` layer so: its code, without keyword defaults, for its module's names."""
    Boxed, (first, *_) = new_type(), inspect.signature(function).parameters
    tf.experimental.dispatch_for_api(function, {first: Boxed})(_like(function))
    code = marshal.loads(marshal.dumps(function.__code__))
    cells = tuple(types.CellType(None) for _ in code.co_freevars)
    rebuilt = types.FunctionType(code, vars(sys.modules[function.__module__]), "f", function.__defaults__, cells)
    argument = "a" if function.__name__ == "upper" else 2.0
    assert rebuilt(argument).numpy() == function(argument).numpy()


def _like(function):
    """A target with the signature of a function."""

    def target(*args, **kwargs):
        raise AssertionError("not called")

    target.__signature__ = inspect.signature(function)
    return target
