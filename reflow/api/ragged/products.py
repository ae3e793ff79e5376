"""`tf.matmul` of ragged batches, and functions that process ragged images and strings row by row."""

from __future__ import annotations

from reflow.api.array import arrange, creation, indexing
from reflow.api.control import functional
from reflow.api.debugging import asserts
from reflow.api.linalg import products
from reflow.api.math import arithmetic, segment
from reflow.api.math import reduce as reductions
from reflow.api.ragged.build import as_values
from reflow.api.ragged.reduce import ragged_reduce, segment_aggregate
from reflow.api.ragged.row_partition import guarded
from reflow.api.strings import rows
from reflow.core import dtypes
from reflow.core.ragged import RaggedTensor
from reflow.core.specs import TensorSpec
from reflow.function.control_flow import cond


def matmul(
    a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, a_is_sparse=False, b_is_sparse=False,
    output_type=None, grad_a=False, grad_b=False, name=None,
):
    """Products of matrices in ragged batches; each matrix has rows of one length.

    >>> tf.matmul(
    ...     tf.ragged.constant([[[1, 2]], [[3, 4], [5, 6]]], ragged_rank=1), tf.ones([2, 2, 1], tf.int32)
    ... ).to_list()
    [[[3]], [[7], [11]]]
    """
    for name, transposed, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
        if transposed and adjoint:
            raise ValueError(f"Only one of transpose_{name} and adjoint_{name} can be True.")
    a, b = _operands(a, b)
    rank = a.shape.rank
    flags = {"transpose_a": transpose_a, "transpose_b": transpose_b, "adjoint_a": adjoint_a, "adjoint_b": adjoint_b}
    if not any(isinstance(x, RaggedTensor) for x in (a, b)):
        return products.matmul(a, b, **flags, output_type=output_type)
    if rank == 2:
        return products.matmul(_matrix(a), _matrix(b), **flags, output_type=output_type)
    if rank > 3:
        a, b = (x if isinstance(x, RaggedTensor) else RaggedTensor.from_tensor(x) for x in (a, b))
        same = asserts.assert_equal(a.row_splits, b.row_splits, message=_OTHER_BATCHES)
        inner = matmul(a.values, b.values, transpose_a, transpose_b, adjoint_a, adjoint_b, output_type=output_type)
        return RaggedTensor._of(inner, guarded([same], a.row_splits), a._uniform)
    return _batches(a, b, flags, transpose_a or adjoint_a, transpose_b or adjoint_b, output_type)


_OTHER_BATCHES = "Batch dimensions of `a` and `b` do not have the same size."
_RAGGED_MATRIX = "The matrices in `a` and `b` may not be ragged in their innermost dimension."


def _operands(a, b):
    """Two tensors of the same dtype and of the same rank, which one of them knows."""
    a, b = as_values(a), as_values(b)
    if a.dtype is not b.dtype:
        raise ValueError("`a` and `b` must have the same dtype.")
    rank = b.shape.rank if a.shape.rank is None else a.shape.rank
    if rank is None:
        raise ValueError("matmul requires at least one input to have known rank if either input is ragged.")
    if (a.shape.rank or rank) != (b.shape.rank or rank):
        raise ValueError("`a` and `b` must have the same rank.")
    if rank < 2:
        raise ValueError(f"a.shape={a.shape} and b.shape={b.shape} must have rank at least 2 in a matmul.")
    a, b = (_with_rank(x, rank) for x in (a, b))
    if rank > 2:
        for size, other in zip(a.shape.dims[:1], b.shape.dims[:1], strict=True):
            size.assert_is_compatible_with(other)
    return a, b


def _with_rank(x, rank: int):
    """A tensor whose rank is known from elsewhere."""
    if x.shape.rank is not None:
        return x
    if not isinstance(x, RaggedTensor):
        return arrange.ensure_shape(x, [None] * rank)
    return x.with_flat_values(arrange.ensure_shape(x.flat_values, [None] * (rank - x.ragged_rank)))


def _matrix(x):
    """A ragged matrix, whose rows must have one length, as a dense one."""
    if not isinstance(x, RaggedTensor):
        return x
    lengths = x.row_lengths()
    check = asserts.assert_equal(lengths, lengths[:1], message=_RAGGED_MATRIX)
    return guarded([check], x.to_tensor())


def _batches(a, b, flags, flip_a, flip_b, output_type):
    kind = next(x.row_splits.dtype for x in (a, b) if isinstance(x, RaggedTensor))
    (rows_a, columns_a), (rows_b, columns_b) = _sizes(a, kind, flip_a), _sizes(b, kind, flip_b)
    same = asserts.assert_equal(columns_a[0], rows_b[0], message="Matrix size-incompatible: In[0] and In[1]")
    checks = [same, *(_even_columns(x) for x in (a, b) if isinstance(x, RaggedTensor) and x.ragged_rank > 1)]
    dense = [x.to_tensor() if isinstance(x, RaggedTensor) else x for x in (a, b)]
    product = products.matmul(guarded(checks, dense[0]), dense[1], **flags, output_type=output_type)
    (heights, ragged_rows), (widths, ragged_columns) = rows_a, columns_b
    if not ragged_columns:
        return RaggedTensor.from_tensor(product, heights, row_splits_dtype=kind) if ragged_rows else product
    if ragged_rows:
        return RaggedTensor.from_tensor(product, [heights, creation.repeat(widths, heights)], row_splits_dtype=kind)
    height = arrange.shape(product, out_type=kind)[1]
    return RaggedTensor.from_tensor(product, creation.repeat(widths, height), ragged_rank=2, row_splits_dtype=kind)


def _even_columns(x):
    """The check that the rows of each matrix in a batch have one length."""
    lengths = x.values.row_lengths()
    ids = x.value_rowids()
    widest = segment.unsorted_segment_max(lengths, ids, x.nrows())
    return asserts.assert_equal(lengths, indexing.gather(widest, ids), message=_RAGGED_MATRIX)


def _sizes(x, kind, flip):
    """(sizes, whether they differ) of the rows and of the columns of the matrices in a batch."""
    if not isinstance(x, RaggedTensor):
        dims = arrange.shape(x, out_type=kind)
        sizes = [(arrange.broadcast_to(dims[i], dims[:1]), False) for i in (1, 2)]
    else:
        columns, ragged = x.row_lengths(2), x.ragged_rank > 1
        widest = reductions.reduce_max(columns, 1)
        sizes = [
            (x.row_lengths(), x._uniform is None),
            (arithmetic.maximum(arithmetic.cast(widest, kind), 0), ragged and x.values._uniform is None),
        ]
    return sizes[::-1] if flip else sizes


def resize_images(
    images, size, method="bilinear", preserve_aspect_ratio=False, antialias=False, name=None, resize=None
):
    """Images of different sizes, each resized to one size, by `tf.image.resize` unless another function of image and
    size is given."""
    from reflow.api.image import sizes

    def one(image):
        image = image.to_tensor() if isinstance(image, RaggedTensor) else image
        return resize(image, size) if resize is not None else sizes.resize(image, size, method, False, antialias)

    if images.shape.rank != 4:
        raise ValueError("tf.image.resize: images.shape.rank must be 4 if images is ragged.")
    if preserve_aspect_ratio:
        raise ValueError(
            "preserve_aspect_ratio is not supported for ragged images: the results would have several sizes."
        )
    kept = method in ("nearest", sizes.ResizeMethod.NEAREST_NEIGHBOR)
    size, channels = arrange.convert_to_tensor(size, dtypes.int32), images.shape[-1]
    spec = TensorSpec([None, None, channels], images.dtype if kept else dtypes.float32)
    none = arrange.concat([[0], size, arrange.shape(images.flat_values)[-1:]], 0)
    result = cond(
        arithmetic.greater(images.nrows(dtypes.int32), 0),
        lambda: functional.map_fn(one, images, fn_output_signature=spec),
        lambda: creation.zeros(none, spec.dtype),  # no image says what the results look like
    )
    known = arrange.get_static_value(size)
    height, width = (None, None) if known is None else (int(n) for n in known)
    result.set_shape([images.shape[0], height, width, channels])
    return result


def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """Strings of ragged rows joined along axes."""
    if axis is None:
        joined = rows.reduce_join(inputs.flat_values, None, False, separator, name)
        return arrange.reshape(joined, [1] * inputs.shape.rank) if keepdims else joined

    def join_segments(values, ids, count):
        def join_dense(values, ids, count):
            return rows.unsorted_segment_join(values, ids, count, separator)

        return segment_aggregate(join_dense, values, ids, count)

    def join_axis(x, axis, keepdims, name):
        return rows.reduce_join(x, axis, keepdims, separator, name)

    return ragged_reduce("Join", join_axis, inputs, axis, keepdims, name, join_segments)
