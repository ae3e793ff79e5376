"""`tf.experimental.ExtensionType`: fields, conversion, immutability, and use in functions, branches, loops and
datasets.

Texts as TensorFlow 2.21 has them.
"""


import pytest

import reflow as tf
from tests.api.framework.extension_types import Masked


@pytest.fixture
def masked():
    return Masked([1, 2, 3], [True, False, True])


def test_a_value(masked):
    assert masked.total().numpy() == 4
    assert repr(masked).startswith("Masked(values=<tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3]")
    assert repr(tf.type_spec_from_value(masked)) == (
        "Masked.Spec(values=TensorSpec(shape=(3,), dtype=tf.int32, name=None), "
        "mask=TensorSpec(shape=(3,), dtype=tf.bool, name=None))"
    )
    assert len(tf.nest.flatten(masked, expand_composites=True)) == 2 and tf.nest.flatten(masked) == [masked]


def test_equality(masked):
    same, other = Masked([1, 2, 3], [True, False, True]), Masked([1, 2, 4], [True, False, True])
    assert bool(masked == same) and not bool(masked != same) and not bool(masked == other)
    assert (masked == Masked([1], [True])) is False and (masked == 3) is False
    with pytest.raises(TypeError, match="unhashable type: 'Masked'"):
        hash(masked)


@pytest.mark.parametrize("change", [lambda m: setattr(m, "values", 3), lambda m: delattr(m, "values")])
def test_values_do_not_change(masked, change):
    text = "Cannot mutate attribute `values` outside the custom constructor of ExtensionType."
    with pytest.raises(AttributeError) as raised:
        change(masked)
    assert str(raised.value) == text


def test_constructors_of_the_users():
    class Scaled(tf.experimental.ExtensionType):
        v: tf.Tensor

        def __init__(self, v, scale=2):
            self.v = tf.convert_to_tensor(v) * scale

        def __validate__(self):
            self.v.shape.assert_has_rank(1)

    class Named(Scaled):
        label: str = "a"

    assert Scaled([1, 2]).v.numpy().tolist() == [2, 4]
    with pytest.raises(ValueError, match="must have rank 1"):
        Scaled(3)
    assert (
        repr(Named([1], label="b")).rpartition(".<locals>.")[2]
        == "Named(v=<tf.Tensor: shape=(1,), dtype=int32, numpy=array([1], dtype=int32)>, label='b')"
    )

    class Empty(Scaled):
        def __init__(self):
            pass

    with pytest.raises(ValueError, match="Missing required fields: {'v'}"):
        Empty()


def test_functions_branches_loops_and_datasets(masked):
    @tf.function
    def doubled(x):
        return Masked(x.values * 2, x.mask), x.total()

    result, total = doubled(masked)
    assert result.values.numpy().tolist() == [2, 4, 6] and total.numpy() == 4
    doubled(Masked([4, 5, 6], [True] * 3))
    assert doubled.experimental_get_tracing_count() == 1
    spec = Masked.Spec(tf.TensorSpec([None], tf.int32), tf.TensorSpec([None], tf.bool))
    assert doubled.get_concrete_function(spec)(masked)[1].numpy() == 4

    @tf.function
    def loop(x):
        for _ in tf.range(3):
            x = Masked(x.values * 2, x.mask)
        return x

    assert loop(masked).values.numpy().tolist() == [8, 16, 24]
    chosen = tf.function(lambda p: tf.cond(p, lambda: masked, lambda: Masked([0] * 3, masked.mask)))
    assert chosen(tf.constant(False)).values.numpy().tolist() == [0, 0, 0]
    dataset = tf.data.Dataset.from_tensors(masked).map(lambda m: Masked(m.values + 1, m.mask)).repeat(2)
    assert [m.values.numpy().tolist() for m in dataset] == [[2, 3, 4]] * 2


def test_gradients_and_python_values_in_the_trace_key():
    class Scaled(tf.experimental.ExtensionType):
        x: tf.Tensor
        n: int

    @tf.function
    def product(p):
        return p.x * p.n

    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = product(Scaled(v * 1.0, 2))
    assert tape.gradient(y, v).numpy() == 2.0
    assert product(Scaled(2.0, 4)).numpy() == 8.0 and product.experimental_get_tracing_count() == 2


def test_specs():
    class Counted(tf.experimental.ExtensionType):
        x: tf.Tensor
        n: int

    wide = Counted.Spec(tf.TensorSpec([None]), 1)
    assert wide.is_compatible_with(Counted([1.0, 2.0], 1)) and not wide.is_compatible_with(Counted([1.0, 2.0], 2))
    narrow = [Counted.Spec(tf.TensorSpec([i]), 1) for i in (1, 2)]
    assert narrow[0].most_specific_compatible_type(narrow[1]) == wide
    assert wide.x == tf.TensorSpec([None]) and Counted.Spec.value_type is Counted
    with pytest.raises(AttributeError, match="Cannot mutate"):
        wide.n = 2


def test_a_spec_with_a_constructor_of_its_own():
    class Padded(tf.experimental.BatchableExtensionType):
        values: tf.Tensor
        mask: tf.Tensor

        class Spec:
            def __init__(self, shape, dtype=tf.float32):
                self.values, self.mask = tf.TensorSpec(shape, dtype), tf.TensorSpec(shape, tf.bool)

            @property
            def shape(self):
                return self.values.shape

    spec = Padded.Spec([None, 2])
    assert (
        repr(spec).endswith("mask=TensorSpec(shape=(None, 2), dtype=tf.bool, name=None))")
        and spec.shape.as_list() == [None, 2]
    )
    with pytest.raises(AttributeError, match="Cannot mutate attribute `values`"):
        spec.values = None
    double = tf.function(lambda x: x.values * 2.0, input_signature=[spec])
    assert double(Padded([[1.0, 2.0]], [[True, False]])).numpy().tolist() == [[2.0, 4.0]]
    batches = tf.data.Dataset.from_tensor_slices(Padded([[1.0], [2.0]], [[True], [False]])).batch(2)
    assert [b.mask.numpy().tolist() for b in batches] == [[[True], [False]]]


def test_a_spec_must_be_a_class():
    with pytest.raises(ValueError, match=r"^Wrong\.Spec must be a nested class; got 3\.$"):
        type("Wrong", (tf.experimental.ExtensionType,), {"__annotations__": {"x": tf.Tensor}, "Spec": 3})


@pytest.mark.parametrize(
    "members, error, message",
    [
        ({"x": 3}, ValueError, "The field annotations for A are invalid. Field x is missing a type annotation."),
        ({"__annotations__": {"_keras_mask": int}}, ValueError, "Field '_keras_mask' is reserved"),
        ({"is_compatible_with": print}, ValueError, "Field 'is_compatible_with' is reserved"),
        ({"Spec": 3}, ValueError, "A.Spec must be a nested class; got 3"),
        ({"Spec": type("Spec", (int,), {})}, ValueError, "A.Spec must be directly subclassed from tf.TypeSpec"),
        ({"__annotations__": {"x": int}, "x": "a"}, TypeError, "default value for x: expected 'int', got 'str'"),
    ],
)
def test_classes_that_are_refused(members, error, message):
    with pytest.raises(error, match=message):
        type("A", (tf.experimental.ExtensionType,), {"__module__": __name__, "__qualname__": "A", **members})


def test_specs_refuse_components_that_are_left_over():
    class Point(tf.experimental.ExtensionType):
        x: tf.Tensor

    spec = Point(1.0)._type_spec
    with pytest.raises(ValueError, match="more components are provided than the number expected"):
        spec._from_components([1, 2])
    with pytest.raises(AttributeError, match="Cannot mutate attribute `x`"):
        del spec.x
