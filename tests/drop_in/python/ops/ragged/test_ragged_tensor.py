"""Axes taken together, values of other classes."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.python.ops.ragged.ragged_tensor import RaggedTensorType, _add_supported_value_type, merge_dims


class Celsius(tf.experimental.BatchableExtensionType):
    """A tensor with a name: what functions do with it they do with the tensor."""

    degrees: tf.Tensor
    shape = property(lambda self: self.degrees.shape)
    dtype = property(lambda self: self.degrees.dtype)

    def __getitem__(self, index):
        return Celsius(self.degrees[index])

    class Spec(tf.TypeSpec):
        shape = property(lambda self: self.degrees.shape)
        dtype = property(lambda self: self.degrees.dtype)


@pytest.fixture(scope="module")
def rows():
    """Makes ragged tensors of such values."""
    functions = (
        tf.experimental.dispatch_for_unary_elementwise_apis(Celsius)(lambda api, x: Celsius(api(x.degrees))),
        tf.experimental.dispatch_for_binary_elementwise_apis(Celsius, Celsius)(
            lambda api, x, y: Celsius(api(x.degrees, y.degrees))
        ),
        tf.experimental.dispatch_for_api(tf.gather, {"params": Celsius})(_gather),
        tf.experimental.dispatch_for_api(tf.shape, {"input": Celsius})(_shape),
    )
    _add_supported_value_type(Celsius)
    yield lambda values, splits: tf.RaggedTensor.from_nested_row_splits(Celsius(tf.constant(values)), splits)
    for function in functions:
        tf.experimental.unregister_dispatch_for(function)
    from reflow.core import ragged

    ragged.VALUE_TYPES.remove(Celsius)


def _gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    return Celsius(tf.gather(params.degrees, indices, axis=axis, batch_dims=batch_dims))


def _shape(input, out_type=None, name=None):
    return tf.shape(input.degrees, out_type=out_type)


def test_ragged_and_dense():
    ragged = tf.ragged.constant([[[1, 2], [3]], [[4]]])
    assert merge_dims(ragged, 1, 2).to_list() == [[1, 2, 3], [4]] and merge_dims(ragged, 1, 1) is ragged
    assert (
        merge_dims(tf.ones([2, 3, 4]), 0, 1).shape == [6, 4] and merge_dims(tf.ones([2, 3, 4]), 1, 2).shape == [2, 12]
    )
    unknown = tf.function(lambda x: merge_dims(x, 0, 1), input_signature=[tf.TensorSpec([None, None, 4])])
    assert unknown(tf.ones([2, 3, 4])).shape == [6, 4]


def test_functions_reach_values_of_another_class(rows):
    x = rows([-1.0, 2.0, 3.0], [[0, 1, 3]])
    assert isinstance(x.values, Celsius) and x.shape == [2, None] and x.dtype == tf.float32
    for result, wanted in (
        (tf.abs(x), [1, 2, 3]), (x + x, [-2, 4, 6]), (-x, [1, -2, -3]), (x[1:], [2, 3]), (x[:, :1], [-1, 2])
    ):
        assert isinstance(result.flat_values, Celsius)
        np.testing.assert_array_equal(result.flat_values.degrees, wanted)
    assert x[1].degrees.numpy().tolist() == [2, 3]
    assert isinstance(x.with_values(Celsius(tf.constant([1, 2, 3]))).values, Celsius)
    assert repr(x).startswith("tf.RaggedTensor(values=Celsius(degrees=")


def test_specs_of_values_of_another_class(rows):
    x = rows([[1.0, 2.0], [3.0, 4.0]], [[0, 1, 1], [0, 2]])
    spec = tf.type_spec_from_value(x)
    assert spec.flat_values_spec == Celsius.Spec(tf.TensorSpec([None, 2]))
    assert spec == tf.RaggedTensorSpec([2, None, None, 2], tf.float32, 2, tf.int64, spec.flat_values_spec)
    assert len(spec._serialize()) == 5 and tf.RaggedTensorSpec([2, None])._flat_values_spec is None
    assert [c.shape.as_list() for c in tf.nest.flatten(spec, expand_composites=True)] == [[None, 2], [3], [None]]
    traced = tf.function(lambda r: r.with_flat_values(Celsius(r.flat_values.degrees + 1.0)))(x)
    assert traced.flat_values.degrees.numpy().tolist() == [[2, 3], [4, 5]]
    dense = tf.RaggedTensorSpec([None], tf.int32, 0, flat_values_spec=Celsius.Spec(tf.TensorSpec(None, tf.int32)))
    assert dense.value_type is Celsius and dense.is_compatible_with(Celsius(tf.constant([1])))
    assert not dense.is_compatible_with(tf.constant([1]))
    with pytest.raises(ValueError, match="dtype must be the same as flat_values_spec.dtype"):
        tf.RaggedTensorSpec([None], tf.float64, 0, flat_values_spec=tf.TensorSpec([None], tf.int32))
    with pytest.raises(ValueError, match="At least one of dtype or flat_values_spec must be provided"):
        tf.RaggedTensorSpec([None, None], None)


def test_lists_of_values_of_another_class(rows):
    with pytest.raises(ValueError, match="values must be convertible to a list"):
        rows([1, 2], [[0, 2]]).to_list()
    with pytest.raises(ValueError, match="only supported in eager mode"):
        rows([1, 2], [[0, 2]]).numpy()

    class Known(Celsius):
        def numpy(self):
            return self.degrees.numpy()

    x = tf.RaggedTensor.from_row_splits(Known(tf.constant([1, 2])), [0, 0, 2])
    assert x.to_list() == [[], [1, 2]]


def test_classes_that_are_refused():
    class Shapeless(tf.experimental.ExtensionType):
        degrees: tf.Tensor

    with pytest.raises(ValueError, match="must be a subclass of CompositeTensor"):
        _add_supported_value_type(int)
    with pytest.raises(ValueError, match="cls must support the `shape` property"):
        _add_supported_value_type(Shapeless)


def test_the_type_of_mapped_rows():
    rows = tf.ragged.constant([[7], [1, 2]])
    doubled = tf.map_fn(lambda x: 2 * x, rows, dtype=RaggedTensorType(tf.int32, ragged_rank=1))
    assert doubled.to_list() == [[14], [2, 4]]
    assert RaggedTensorType(tf.int32, 1).element_spec == tf.RaggedTensorSpec(None, tf.int32, 0)
