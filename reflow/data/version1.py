"""Names of `tf.compat.v1.data` that version 2 says otherwise.

Structures of dtypes and shapes, and specs as functions.
"""

from __future__ import annotations

from reflow.api.control.tensor_array import TensorArraySpec
from reflow.api.export import export
from reflow.core.ragged import RaggedTensorSpec
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensor, SparseTensorSpec
from reflow.core.specs import TensorSpec
from reflow.core.tensor import Tensor
from reflow.data import structure
from reflow.data.experimental_names import map_and_batch


def _each(function, dataset_or_iterator):
    return structure.map_specs(function, dataset_or_iterator.element_spec)


@export("compat.v1.data.get_output_types")
def get_output_types(dataset_or_iterator):
    """The structure of the dtypes of an element.

    >>> tf.compat.v1.data.get_output_types(tf.data.Dataset.from_tensors((1, "a")))
    (tf.int32, tf.string)
    """
    return _each(lambda s: getattr(s, "dtype", s), dataset_or_iterator)


@export("compat.v1.data.get_output_shapes")
def get_output_shapes(dataset_or_iterator):
    """The structure of the static shapes of an element.

    >>> tf.compat.v1.data.get_output_shapes(tf.data.Dataset.from_tensors(([1, 2], "a")))
    (TensorShape([2]), TensorShape([]))
    """
    return _each(lambda s: getattr(s, "shape", s), dataset_or_iterator)


@export("compat.v1.data.get_output_classes")
def get_output_classes(dataset_or_iterator):
    """The structure of the classes of an element.

    >>> tf.compat.v1.data.get_output_classes(tf.data.Dataset.range(3)).__name__
    'Tensor'
    """
    kinds = {TensorSpec: Tensor, SparseTensorSpec: SparseTensor}
    return _each(lambda s: kinds.get(type(s), s.value_type if type(s) is RaggedTensorSpec else s), dataset_or_iterator)


@export("compat.v1.data.experimental.TensorStructure")
def TensorStructure(dtype, shape):
    """`tf.TensorSpec(shape, dtype)`.

    >>> tf.compat.v1.data.experimental.TensorStructure(tf.int32, [2])
    TensorSpec(shape=(2,), dtype=tf.int32, name=None)
    """
    return TensorSpec(shape, dtype)


@export("compat.v1.data.experimental.SparseTensorStructure")
def SparseTensorStructure(dtype, shape):
    """`tf.SparseTensorSpec(shape, dtype)`.

    >>> tf.compat.v1.data.experimental.SparseTensorStructure(tf.int32, [2])
    SparseTensorSpec(TensorShape([2]), tf.int32)
    """
    return SparseTensorSpec(TensorShape(shape), dtype)


@export("compat.v1.data.experimental.RaggedTensorStructure")
def RaggedTensorStructure(dtype, shape, ragged_rank):
    """`tf.RaggedTensorSpec(shape, dtype, ragged_rank)`.

    >>> tf.compat.v1.data.experimental.RaggedTensorStructure(tf.int32, [2, None], 1)
    RaggedTensorSpec(TensorShape([2, None]), tf.int32, 1, tf.int64)
    """
    return RaggedTensorSpec(shape, dtype, ragged_rank)


@export("compat.v1.data.experimental.TensorArrayStructure")
def TensorArrayStructure(dtype, element_shape, dynamic_size, infer_shape):
    """`tf.TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)`.

    >>> tf.compat.v1.data.experimental.TensorArrayStructure(tf.int32, [2], False, True)
    TensorArraySpec(TensorShape([2]), tf.int32, False, True)
    """
    return TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)


@export("compat.v1.data.experimental.map_and_batch_with_legacy_function")
def map_and_batch_with_legacy_function(
    map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None
):
    """`tf.data.experimental.map_and_batch(…)`: functions of both versions are traced alike.

    >>> batches = tf.data.Dataset.range(4).apply(
    ...     tf.compat.v1.data.experimental.map_and_batch_with_legacy_function(lambda x: x * 2, batch_size=2))
    >>> [batch.tolist() for batch in batches.as_numpy_iterator()]
    [[0, 2], [4, 6]]
    """
    return map_and_batch(map_func, batch_size, num_parallel_batches, drop_remainder, num_parallel_calls)
