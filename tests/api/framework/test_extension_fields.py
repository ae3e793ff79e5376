"""Fields of `tf.experimental.ExtensionType`: conversion, annotations, defaults."""


import pytest

import reflow as tf
from tests.api.framework.extension_types import Many, Masked


@pytest.fixture
def masked():
    return Masked([1, 2, 3], [True, False, True])


def test_fields_are_converted():
    value = Many([1.0], o=5, several=[1, 2], named={"a": 1}, u=tf.constant(1.0), dtype="float32", shape=[2, None])
    assert value.o.numpy() == 5 and [t.numpy() for t in value.several] == [1, 2]
    assert repr(value.named) == "ImmutableDict({'a': <tf.Tensor: shape=(), dtype=int32, numpy=1>})"
    assert value.u.dtype is tf.float32 and value.dtype is tf.float32 and value.shape == tf.TensorShape([2, None])
    assert Many([1.0]).u == 1
    copy = tf.nest.map_structure(lambda t: t, value, expand_composites=True)
    assert bool(copy == value) and list(copy.named) == ["a"] and copy.pair == (1, "b")


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: Masked([1]), TypeError, "missing a required argument: 'mask'"),
        (lambda: Masked([1], [True], 3), TypeError, "too many positional arguments"),
        (lambda: Masked(values=[1], mask=None), TypeError, "mask: expected a Tensor, got 'NoneType'"),
        (lambda: Many([1.0], n="x"), TypeError, "n: expected 'int', got 'str'"),
        (lambda: Many([1.0], n=2.5), TypeError, "n: expected 'int', got 'float'"),
        (lambda: Many([1.0], pair=(1, 2)), TypeError, "pair[1]: expected 'str', got 'int'"),
        (lambda: Many([1.0], named={1: 1}), TypeError, "named[<key>]: expected 'str', got 'int'"),
        (lambda: Many([1.0], bogus=1), TypeError, "got an unexpected keyword argument 'bogus'"),
        (lambda: Masked.Spec(tf.TensorSpec([])), TypeError, "missing a required argument: 'mask'"),
        (
            lambda: tf.experimental.ExtensionType(),
            AssertionError,
            "Cannot create an instance of ExtensionType because ExtensionType is an abstract base class.",
        ),
    ],
)
def test_errors(make, kind, text):
    with pytest.raises(kind) as raised:
        make()
    assert str(raised.value) == text


def test_annotations_that_are_refused():
    for kind, name in ((list, "'list'"), (set, "'set'")):
        with pytest.raises(TypeError, match=f"In field 'x': Unsupported type annotation {name}"):
            type("Bad", (tf.experimental.ExtensionType,), {"__annotations__": {"x": kind}})
    with pytest.raises(ValueError, match="Field '_type_spec' is reserved"):
        type("Bad", (tf.experimental.ExtensionType,), {"_type_spec": None})
    with pytest.raises(ValueError, match="Field '_tf_extension_type_x' is reserved"):
        type("Bad", (tf.experimental.ExtensionType,), {"__annotations__": {"_tf_extension_type_x": int}})


def test_fields_behind_a_default_are_keywords():
    class D(tf.experimental.ExtensionType):
        a: tf.Tensor = 1
        b: int

    assert D(b=2).b == 2
    with pytest.raises(TypeError, match="missing a required (keyword-only )?argument: 'b'"):
        D(2)


def test_a_field_may_be_a_variable():
    class Counted(tf.experimental.ExtensionType):
        count: tf.Variable

    value = Counted(tf.Variable(1.0))

    @tf.function
    def add(x):
        x.count.assign_add(1.0)
        return x.count * 2.0

    assert add(value).numpy() == 4.0 and value.count.numpy() == 2.0
    with pytest.raises(TypeError, match="count: expected 'Variable', got 'float'"):
        Counted(1.0)


def test_a_union_is_tried_in_its_order():
    first = type("First", (tf.experimental.ExtensionType,), {"__annotations__": {"v": tf.Tensor | int | None}})
    last = type("Last", (tf.experimental.ExtensionType,), {"__annotations__": {"v": int | tf.Tensor}})
    assert isinstance(first(2).v, tf.Tensor) and first(None).v is None
    assert last(2).v == 2 and isinstance(last(1.5).v, tf.Tensor)
