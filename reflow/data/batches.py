"""Methods of `tf.data.Dataset` that join elements or take them apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from reflow.api.call import call
from reflow.api.framework.core_names import control_dependencies
from reflow.core import dtypes, nest, shallow_nest
from reflow.core.context import state
from reflow.core.ragged import RaggedTensor, RaggedTensorSpec
from reflow.core.shapes import TensorShape
from reflow.core.sparse import SparseTensorSpec
from reflow.core.specs import NoneTensorSpec, TensorSpec
from reflow.core.tensor import EagerTensor, Tensor
from reflow.data import structure
from reflow.data.base import int64, kind, static_value
from reflow.data.elements import ElementMethods, determinism
from reflow.data.functions import debugging
from reflow.data.specs import DatasetSpec
from reflow.ops.convert import constant, convert_to_tensor

if TYPE_CHECKING:
    from reflow.data.dataset import DatasetV2


class BatchMethods(ElementMethods):
    """`batch`, `padded_batch`, `ragged_batch`, `unbatch`, `rebatch`, `window`, `bucket_by_sequence_length`."""

    def batch(
        self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None, name=None
    ) -> DatasetV2:
        """Stacks `batch_size` consecutive elements into one.

        Args:
          batch_size: The number of elements in a batch.
          drop_remainder: Whether a smaller last batch is dropped, so that the first dimension is known.
          num_parallel_calls: How many batches are put together at the same time, by threads; or `tf.data.AUTOTUNE`.
            Sparse and ragged elements are batched one batch at a time.
          deterministic: With parallel calls: if False, batches come in the order in which they are ready.
          name: A name for the operation.

        Returns:
          A dataset whose components have one more dimension, at the front.

        Raises:
          InvalidArgumentError: `batch_size` is not positive, or elements of one batch differ in shape.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(3).batch(2)]
        [[0, 1], [2]]
        """
        size, drop = int64(batch_size, "batch_size"), convert_to_tensor(drop_remainder, dtypes.bool_)
        spec = structure.batched(self.element_spec, static_value(size) if static_value(drop) is True else None)
        leaves = structure.composite_leaves(self.element_spec)
        if leaves is not None:
            return self._composite("CompositeBatchDataset", (size, drop), {"leaves": leaves}, spec, name)
        if num_parallel_calls is None or debugging.on:
            return self._then("BatchDatasetV2", (size, drop), {}, spec, name)
        return self._then(
            "ParallelBatchDataset", (size, int64(num_parallel_calls), drop),
            {"deterministic": determinism(deterministic)}, spec, name,
        )

    def padded_batch(
        self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None
    ) -> DatasetV2:
        """Stacks elements of different shapes, after padding each at the end of its dimensions.

        Args:
          batch_size: The number of elements in a batch.
          padded_shapes: The shape to pad each component to, as a structure; None: to the longest of the batch.
          padding_values: The scalar to pad with, or a structure of them; by default zero or the empty string.
          drop_remainder: Whether a smaller last batch is dropped.
          name: A name for the operation.

        Returns:
          A dataset whose components have one more dimension, at the front.

        Raises:
          TypeError: An element is not made of plain tensors, or a padding value has another dtype.
          ValueError: A padded shape does not fit its component.

        >>> ds = tf.data.Dataset.range(1, 3).map(lambda x: tf.fill([x], x)).padded_batch(2)
        >>> next(iter(ds)).numpy().tolist()
        [[1, 0], [2, 2]]
        """
        leaves = nest.flatten(self.element_spec)
        for leaf in leaves:
            if not isinstance(leaf, TensorSpec):
                if isinstance(leaf, DatasetSpec):
                    raise TypeError("`padded_batch` is not supported for datasets of datasets")
                raise TypeError(
                    "`padded_batch` is only supported for datasets that produce tensor elements but type spec of "
                    f"elements in the input dataset is not a subclass of TensorSpec: `{leaf}`."
                )
        if padded_shapes is None:
            for leaf in leaves:
                if leaf.shape.rank is None:
                    raise ValueError(
                        "You must provide `padded_shapes` argument because component shapes of the input "
                        "dataset have unknown rank."
                    )
            shapes = [leaf.shape for leaf in leaves]
        else:
            shapes = shallow_nest.flatten_up_to(self.element_spec, padded_shapes, check_types=False)
        tensors, dims = zip(*(_padded_shape(s, leaf) for s, leaf in zip(shapes, leaves, strict=True)), strict=True)
        if padding_values is None or not nest.is_nested(padding_values):
            padding = [padding_values] * len(leaves)
        else:
            padding = shallow_nest.flatten_up_to(self.element_spec, padding_values, check_types=False)
        padding = [_padding_value(p, leaf.dtype) for p, leaf in zip(padding, leaves, strict=True)]
        size, drop = int64(batch_size, "batch_size"), convert_to_tensor(drop_remainder, dtypes.bool_)
        rows = static_value(size) if static_value(drop) is True else None
        spec = nest.pack_sequence_as(
            self.element_spec,
            [
                TensorSpec(TensorShape([rows]).concatenate(TensorShape(d)), leaf.dtype)
                for d, leaf in zip(dims, leaves, strict=True)
            ],
        )
        output_shapes = structure.type_attrs(spec)["output_shapes"]
        attrs = {"N": len(leaves), "Toutput_types": [leaf.dtype for leaf in leaves], "output_shapes": output_shapes}
        return self._then("PaddedBatchDatasetV2", (size, *tensors, *padding, drop), attrs, spec, name, types=False)

    def unbatch(self, name=None) -> DatasetV2:
        """Makes an element of each slice of the elements along their first axis.

        Args:
          name: A name for the operation.

        Returns:
          A dataset whose components have one dimension less.

        Raises:
          ValueError: A component is a scalar, or two have different numbers of rows.

        >>> [int(x) for x in tf.data.Dataset.from_tensors([1, 2]).unbatch()]
        [1, 2]
        """
        spec, leaves = structure.unbatched(self.element_spec), structure.composite_leaves(self.element_spec)
        shapes = [s.shape for s in nest.flatten(self.element_spec) if hasattr(s, "shape")]
        known = list(dict.fromkeys(s[0] for s in shapes if s.rank and s[0] is not None))
        if len(known) > 1:
            raise ValueError(
                "`unbatch()` is only supported for datasets of elements whose components have a matching leading "
                f"dimension. Encountered both {known[0]} and {known[1]}."
            )
        rows = known[0] if known else None
        if leaves is None:
            return self._then("UnbatchDataset", (), {"_batch_size": rows}, spec, name)
        rowwise = structure.composite_leaves(spec)
        return self._composite("CompositeUnbatchDataset", (), {"rows": rows, "leaves": rowwise}, spec, name)

    def _composite(self, op: str, inputs, attrs: dict, spec, name):
        """A dataset created by one of our own ops; TensorFlow encodes composite tensors as variants instead."""
        attrs = {"T_handle": dtypes.variant, "components": structure.flat_specs(self.element_spec), **attrs}
        return self._then(f"Reflow>{op}", inputs, attrs, spec, name, types=False)

    def ragged_batch(self, batch_size, drop_remainder=False, row_splits_dtype=dtypes.int64, name=None) -> DatasetV2:
        """Joins elements of different lengths into ragged tensors; components of fully known shape are stacked.

        Args:
          batch_size: The number of elements in a batch.
          drop_remainder: Whether a smaller last batch is dropped.
          row_splits_dtype: The dtype of the row splits, int64 or int32.
          name: A name for the operation.

        Returns:
          A dataset of ragged (or dense) tensors with one more dimension, at the front.

        >>> ds = tf.data.Dataset.range(3).map(tf.range).ragged_batch(3)
        >>> next(iter(ds)).to_list()
        [[], [0], [0, 1]]
        """

        def leaf(s):
            if not isinstance(s, TensorSpec) or s.shape.rank is None or s.shape.is_fully_defined():
                return s
            rank = max(axis for axis, size in enumerate(s.shape) if size is None)
            return RaggedTensorSpec(s.shape, s.dtype, rank, row_splits_dtype)

        def convert(s, x):
            ragged = isinstance(s, RaggedTensorSpec) and s.ragged_rank and isinstance(x, Tensor)
            return (
                RaggedTensor.from_tensor(x, ragged_rank=s.ragged_rank, row_splits_dtype=row_splits_dtype) if ragged
                else x
            )

        spec = structure.map_specs(leaf, self.element_spec)
        dataset: Any = self
        if any(isinstance(s, RaggedTensorSpec) and s.ragged_rank for s in nest.flatten(spec)):
            dataset = self.map(lambda *e: structure.map_specs(convert, spec, e if type(spec) is tuple else e[0]))
        ragged = kind("_RaggedDataset")(dataset._variant_tensor, element_spec=spec, parents=(dataset,))
        return ragged.batch(batch_size, drop_remainder, name=name)

    def sparse_batch(self, batch_size, row_shape, name=None) -> DatasetV2:
        """Joins elements of different shapes into sparse tensors.

        Args:
          batch_size: The number of elements in a batch.
          row_shape: The shape of a row; None stands for the largest size in the batch.
          name: A name for the operation.

        Returns:
          A dataset of `tf.SparseTensor`s of dense shape `[batch_size, *row_shape]`.

        Raises:
          TypeError: The elements are not single dense tensors.
          DataLossError: An element is larger than `row_shape`.

        >>> ds = tf.data.Dataset.range(3).map(tf.range).sparse_batch(3, [4])
        >>> tf.sparse.to_dense(next(iter(ds)), -1).numpy().tolist()
        [[-1, -1, -1, -1], [0, -1, -1, -1], [0, 1, -1, -1]]
        """
        if not isinstance(self.element_spec, TensorSpec):
            raise TypeError(
                "`dense_to_sparse_batch` requires an input dataset whose elements have a single component, but the "
                "given dataset has the following component types: "
                f"{structure.map_specs(lambda s: s.dtype, self.element_spec)}."
            )
        if isinstance(row_shape, Tensor):
            shape = row_shape
            dims: list[int | None] = [None] * (row_shape.shape[0] or 0)
        else:
            dims = TensorShape(row_shape).as_list()
            shape = constant([-1 if d is None else d for d in dims], dtypes.int64)
        spec = SparseTensorSpec(TensorShape([None, *dims]), self.element_spec.dtype)
        attrs = {"output_types": [dtypes.variant], "output_shapes": [(3,)]}
        return self._then("DenseToSparseBatchDataset", (int64(batch_size), shape), attrs, spec, name)

    def rebatch(self, batch_size, drop_remainder=False, name=None) -> DatasetV2:
        """Changes the batch size: takes the elements apart along the first axis and joins the rows again.

        Args:
          batch_size: The new size, or a vector of sizes that are gone through in turn.
          drop_remainder: Whether a smaller last batch is dropped.
          name: A name for the operation.

        Returns:
          A dataset of the same rows in other batches.

        Raises:
          ValueError: A component is a scalar.

        >>> [x.numpy().tolist() for x in tf.data.Dataset.range(6).batch(2).rebatch(3)]
        [[0, 1, 2], [3, 4, 5]]
        """
        sizes, drop = convert_to_tensor(batch_size, dtypes.int64), convert_to_tensor(drop_remainder, dtypes.bool_)
        fixed = None
        one_size = not isinstance(batch_size, Tensor) and len(set(np.ravel(batch_size).tolist())) == 1
        if static_value(drop) is True and one_size:
            fixed = int(np.ravel(batch_size)[0])
        row = structure.unbatched(self.element_spec)
        spec, leaves = structure.batched(row, fixed), structure.composite_leaves(row)
        if leaves is not None:
            return self._composite("CompositeRebatchDataset", (sizes, drop), {"leaves": leaves}, spec, name)
        return self._then("RebatchDatasetV2", (sizes, drop), {}, spec, name)

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None) -> DatasetV2:
        """Groups elements into windows, each of which is a dataset itself.

        Args:
          size: The number of elements in a window.
          shift: By how many elements a window begins after the last one; by default `size`.
          stride: Which elements of the input go into a window: every `stride`-th.
          drop_remainder: Whether windows that are not full are dropped.
          name: A name for the operation.

        Returns:
          A dataset whose elements have datasets for components.

        Raises:
          InvalidArgumentError: `size`, `shift` or `stride` is not positive.

        >>> [[int(x) for x in w] for w in tf.data.Dataset.range(5).window(2, drop_remainder=True)]
        [[0, 1], [2, 3]]
        """
        spec = structure.map_specs(lambda s: s if isinstance(s, NoneTensorSpec) else DatasetSpec(s), self.element_spec)
        shift = size if shift is None else shift
        inputs = (
            int64(size, "size"),
            int64(shift, "shift"),
            int64(stride, "stride"),
            convert_to_tensor(drop_remainder, dtypes.bool_),
        )
        leaves = [s for s in nest.flatten(self.element_spec) if not isinstance(s, NoneTensorSpec)]
        return self._then(
            "WindowDataset", inputs, {"_widths": [len(structure.flat_specs(s)) for s in leaves]}, spec, name
        )

    def bucket_by_sequence_length(
        self, element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None, padding_values=None,
        pad_to_bucket_boundary=False, no_padding=False, drop_remainder=False, name=None,
    ) -> DatasetV2:
        """Batches elements of similar length together, so that little has to be padded.

        Args:
          element_length_func: A function from an element to its length, an integer scalar.
          bucket_boundaries: Increasing lengths: the bucket of an element is the number of boundaries not above its
            length.
          bucket_batch_sizes: The batch size of each bucket, one more than there are boundaries.
          padded_shapes: As in `padded_batch`.
          padding_values: As in `padded_batch`.
          pad_to_bucket_boundary: Whether unknown dimensions are padded to the longest length of the bucket, not of the
            batch.
          no_padding: Whether to use `batch` instead of `padded_batch`.
          drop_remainder: Whether batches that are not full are dropped.
          name: A name for the operation.

        Returns:
          A dataset of batches.

        Raises:
          ValueError: `bucket_batch_sizes` does not have one entry more than `bucket_boundaries`.

        >>> ds = tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x))
        >>> ds = ds.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2])
        >>> [x.shape.as_list() for x in ds]
        [[2, 2], [2, 4]]
        """
        if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
            raise ValueError(
                "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)="
                f"{len(bucket_batch_sizes)}` and `len(bucket_boundaries)={len(bucket_boundaries)}`."
            )
        boundaries = list(bucket_boundaries)
        sizes = constant(list(bucket_batch_sizes), dtypes.int64)

        def bucket_of(*element):
            length = call("Cast", (convert_to_tensor(element_length_func(*element)),), {"DstT": dtypes.int32})
            above = call("GreaterEqual", (length, constant(boundaries, dtypes.int32)))
            return call("Sum", (call("Cast", (above,), {"DstT": dtypes.int64}), constant(0)), {})

        def size_of(bucket):
            return call("GatherV2", (sizes, bucket, constant(0)), {})

        def to_batch(bucket, window):
            size = size_of(bucket)
            if no_padding:
                return window.batch(size, drop_remainder=drop_remainder)
            shapes = padded_shapes
            if shapes is None:
                shapes = structure.map_specs(lambda s: s.shape, window.element_spec)
            if pad_to_bucket_boundary:
                shapes = _to_boundary(shapes, window.element_spec, boundaries, bucket)
            return window.padded_batch(size, shapes, padding_values, drop_remainder)

        return self.group_by_window(bucket_of, to_batch, window_size_func=size_of, name=name)


def _to_boundary(shapes, spec, boundaries, bucket):
    """Padded shapes whose unknown dimensions are the bucket's greatest length.

    The last bucket has none: an element in it is an error.
    """
    limits = constant([b - 1 for b in boundaries] + [-1], dtypes.int64)
    fits = call("Less", (bucket, constant(len(boundaries), dtypes.int64)))
    words = "When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."
    call("Assert", (fits, constant(words), bucket), {"T": [dtypes.string, dtypes.int64], "summarize": 3})
    with control_dependencies([state.graph.nodes[-1]]):
        limit = call("GatherV2", (limits, bucket, constant(0)), {})

    def fill(shape):
        dims = list(TensorShape(shape))
        if None not in dims:
            return constant(dims, dtypes.int64)
        return call(
            "Pack", [limit if d is None else constant(d, dtypes.int64) for d in dims], {"N": len(dims), "axis": 0}
        )

    leaves = shallow_nest.flatten_up_to(spec, shapes, check_types=False)
    return nest.pack_sequence_as(spec, [fill(s) for s in leaves])


def _padded_shape(shape, leaf):
    """A padded shape as an int64 vector (-1: as long as the longest), and what is known about it."""
    if isinstance(shape, Tensor):
        tensor = convert_to_tensor(shape)
        if tensor.dtype is not dtypes.int64:
            raise TypeError(
                f"Padded shape {shape} must be a `tf.int64` vector tensor, but its element type was "
                f"{tensor.dtype.name}."
            )
        static = tensor._host().tolist() if isinstance(tensor, EagerTensor) else tensor._static
        rank = tensor.shape[0]
        dims = (None,) * rank if static is None else tuple(None if d is None or d < 0 else d for d in static)
    else:
        dims = tuple(TensorShape(shape))
        tensor = constant([-1 if d is None else d for d in dims], dtypes.int64)
    known = leaf.shape._dims
    if known is not None and (
        len(known) != len(dims)
        or any(p is not None and d is not None and p < d for p, d in zip(dims, known, strict=True))
    ):
        raise ValueError(
            f"The padded shape {TensorShape(dims)} is not compatible with the shape {leaf.shape} of the corresponding "
            "input component."
        )
    return tensor, dims


def _padding_value(value, dtype):
    """A scalar tensor of the component's dtype; by default zero, false or the empty string."""
    if value is None:
        if dtype.is_host_only and dtype is not dtypes.string:
            raise TypeError(f"Unable to create default padding value for a component of type '{dtype.name}'.")
        return constant("" if dtype is dtypes.string else np.zeros((), dtype.np_dtype))
    tensor = convert_to_tensor(value)
    if not tensor.shape.is_compatible_with([]):
        raise ValueError(
            f"Invalid `padding_values`. `padding_values` values should be scalars, but got {tensor.shape}."
        )
    if tensor.dtype is not dtype:
        raise TypeError(
            f"Invalid `padding_values`. `padding_values` values type {tensor.dtype} does not match type {dtype} of the "
            "corresponding input component."
        )
    return tensor
