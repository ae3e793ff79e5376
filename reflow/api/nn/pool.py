"""`tf.nn`: pooling over one, two or three axes."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np

from reflow.api.call import call, op_inputs
from reflow.api.export import export, with_sections
from reflow.api.nn.windows import channels_first, expand, padding_attrs, per_axis, squeeze, window_attrs
from reflow.api.scoped import scoped
from reflow.core import dtypes
from reflow.core.shapes import TensorShape
from reflow.ops.convert import constant, convert_to_tensor

MaxPoolWithArgmax = collections.namedtuple("MaxPoolWithArgmax", ["output", "argmax"])


def _pool(kind, x, ksize, strides, padding, data_format, name, spatial):
    op_name = f"{kind}Pool" + ("3D" if spatial == 3 else "")
    x = op_inputs(op_name, x)[0] if spatial > 1 else convert_to_tensor(x)
    if isinstance(padding, (list, tuple)):
        if data_format == "NCHW_VECT_C":
            raise ValueError(
                f"`data_format='NCHW_VECT_C'` is not supported with explicit padding. Received: padding={padding}"
            )
        if spatial == 3 and kind == "Max":
            raise ValueError(
                f"Explicit padding is not supported with an input tensor of rank 5. Received: padding={padding}"
            )
    attrs = window_attrs(spatial, padding, data_format, ksize=ksize, strides=strides)
    if "explicit_paddings" in attrs and (kind == "Avg" or spatial == 3):
        raise ValueError(f"Explicit padding is not supported by this pooling. Received: padding={padding}")
    if spatial > 1:
        return call(op_name, (x,), attrs, name)
    axis = 2 if channels_first(attrs["data_format"]) else 1
    return squeeze(call(op_name, (expand(x, axis),), attrs, name), axis)


def _by_rank(kind, x, ksize, strides, padding, data_format, name):
    shape = TensorShape(x.shape) if hasattr(x, "shape") else convert_to_tensor(x).shape
    if shape.rank is None and data_format is None:
        raise ValueError("Cannot take the length of shape with unknown rank.")
    rank = shape.rank if shape.rank is not None else len(data_format)
    if not 3 <= rank <= 5:
        raise ValueError(f"`input.shape.rank` must be 3, 4 or 5. Received: input.shape={shape} of rank {rank}.")
    return _pool(
        kind, x, ksize, strides, padding, data_format, name or ("AvgPool" if kind == "Avg" and rank == 4 else None),
        rank - 2,
    )


_POOL = """\
Args:
  input: {input}.
  ksize: The size of the window: one number, one per spatial axis, or one per axis.
  strides: The steps of the window: one number, one per spatial axis, or one per axis.
  padding: {padding}.
  data_format: {formats}.
  name: A name for the operation.

Returns:
  A tensor of the same dtype and rank, with the spatial sizes that are left.

Raises:
  ValueError: {misfit}, or `ksize` or `strides` has the wrong length.
"""
_WORDS = '`"SAME"` or `"VALID"`'
_PAIRS = '`"SAME"`, `"VALID"`, or a list of pairs of numbers, one pair for each axis, batch and channels included'
_ANY = {
    "input": "A tensor [batch, spatial axes, channels] with one to three spatial axes, or with channels second",
    "formats": 'One of `"NWC"`, `"NCW"`, `"NHWC"`, `"NCHW"`, `"NDHWC"`, `"NCDHW"`; by default channels are last',
    "misfit": "The rank of `input` is not 3, 4 or 5",
}
_1D = {
    "input": 'A tensor [batch, width, channels], or [batch, channels, width] for `"NCW"`',
    "formats": '`"NWC"` or `"NCW"`',
    "misfit": "There is no such `data_format`",
}
_2D = _1D | {
    "input": 'Images [batch, height, width, channels], or [batch, channels, height, width] for `"NCHW"`',
    "formats": '`"NHWC"` or `"NCHW"`',
}
_3D = _1D | {
    "input": 'Volumes [batch, depth, height, width, channels], or with channels second for `"NCDHW"`',
    "formats": '`"NDHWC"` or `"NCDHW"`',
}


@export("nn.max_pool")
@with_sections(
    _POOL, **_ANY, padding=f"{_WORDS}; over one or two axes also a list of pairs of numbers, one pair for each axis"
)
def max_pool(input, ksize, strides, padding, data_format=None, name=None):
    """Takes the maximum of each window, over one, two or three axes.

    >>> max_pool(constant([[[[1.0], [2.0]], [[3.0], [4.0]]]]), 2, 2, "VALID").numpy().item()
    4.0
    """
    return _by_rank("Max", input, ksize, strides, padding, data_format, name)


@export("nn.max_pool1d")
@with_sections(_POOL, padding=_PAIRS, **_1D)
@scoped("MaxPool1d")
def max_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """Takes the maximum of each window over one axis.

    >>> max_pool1d(constant([[[1.0], [3.0], [2.0]]]), 2, 1, "VALID").numpy().ravel().tolist()
    [3.0, 3.0]
    """
    return _pool("Max", input, ksize, strides, padding, data_format, name, 1)


@export("nn.max_pool2d")
@with_sections(_POOL, padding=_PAIRS, **_2D)
def max_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    """Takes the maximum of each window over two axes.

    >>> max_pool2d(constant([[[[1.0], [2.0]], [[3.0], [4.0]]]]), 2, 2, "VALID").numpy().item()
    4.0
    """
    return _pool("Max", input, ksize, strides, padding, data_format, name, 2)


@export("nn.max_pool3d")
@with_sections(_POOL, padding=_WORDS, **_3D)
def max_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """Takes the maximum of each window over three axes.

    >>> max_pool3d(constant([[[[[1.0], [2.0]]]]]), [1, 1, 2], 1, "VALID").numpy().item()
    2.0
    """
    return _pool("Max", input, ksize, strides, padding, data_format, name, 3)


@export("nn.avg_pool")
@with_sections(_POOL, padding=_WORDS, **_ANY)
def avg_pool(input, ksize, strides, padding, data_format=None, name=None):
    """Takes the mean of each window, over one, two or three axes; padding does not count.

    >>> tf.nn.avg_pool(tf.ones([1, 3, 3, 1]), ksize=2, strides=2, padding="SAME").numpy().ravel().tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return _by_rank("Avg", input, ksize, strides, padding, data_format, name)


@export("nn.avg_pool1d")
@with_sections(_POOL, padding=_WORDS, **_1D)
@scoped("AvgPool1D")
def avg_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    """Takes the mean of each window over one axis; padding does not count.

    >>> avg_pool1d(constant([[[1.0], [3.0]]]), 2, 1, "VALID").numpy().item()
    2.0
    """
    return _pool("Avg", input, ksize, strides, padding, data_format, name, 1)


@export("nn.avg_pool2d")
@with_sections(_POOL, padding=_WORDS, **_2D)
def avg_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    """Takes the mean of each window over two axes; padding does not count.

    >>> avg_pool2d(constant([[[[1.0], [3.0]]]]), [1, 2], 1, "VALID").numpy().item()
    2.0
    """
    return _pool("Avg", input, ksize, strides, padding, data_format, name, 2)


@export("nn.avg_pool3d")
@with_sections(_POOL, padding=_WORDS, **_3D)
def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    """Takes the mean of each window over three axes; padding does not count.

    >>> tf.nn.avg_pool3d(tf.ones([1, 4, 4, 4, 1]), ksize=2, strides=2, padding="VALID").shape.as_list()
    [1, 2, 2, 2, 1]
    """
    return _pool("Avg", input, ksize, strides, padding, data_format, name, 3)


@export("nn.max_pool_with_argmax")
def max_pool_with_argmax(
    input, ksize, strides, padding, data_format="NHWC", output_dtype: Any = dtypes.int64, include_batch_in_index=False,
    name=None,
):
    """Takes the maximum of each window over two axes, and its flat index in the image.

    Args:
      input: Images [batch, height, width, channels].
      ksize: The size of the window: one number, one per spatial axis, or one per axis.
      strides: The steps of the window: one number, one per spatial axis, or one per axis.
      padding: `"SAME"` or `"VALID"`.
      data_format: `"NHWC"`.
      output_dtype: The dtype of the indices, `tf.int32` or `tf.int64`.
      include_batch_in_index: Whether indices count through the whole batch, rather than through each image.
      name: A name for the operation.

    Returns:
      A named tuple of two tensors of one shape: `output`, the maxima, and `argmax`, `(y * width + x) * channels +
      channel` of each.

    Raises:
      ValueError: `data_format` is not `"NHWC"`, or `ksize` or `strides` has the wrong length.

    >>> [t.numpy().item() for t in max_pool_with_argmax(constant([[[[1.0], [2.0]], [[3.0], [4.0]]]]), 2, 2, "VALID")]
    [4.0, 3]
    """
    if data_format != "NHWC":
        raise ValueError(
            f"`data_format` values other  than 'NHWC' are not supported. Received: data_format={data_format}"
        )
    attrs = {
        "ksize": per_axis(ksize, 2, False, "ksize"),
        "strides": per_axis(strides, 2, False, "strides"),
        "Targmax": dtypes.as_dtype(output_dtype),
        "include_batch_in_index": bool(include_batch_in_index),
        **padding_attrs(padding),
    }
    return MaxPoolWithArgmax(*call("MaxPoolWithArgmax", (convert_to_tensor(input),), attrs, name))


@export("nn.pool")
def pool(
    input, window_shape, pooling_type, strides=None, padding="VALID", data_format=None, dilations=None, name=None
) -> Any:
    """Pools over as many axes as `window_shape` has entries.

    Args:
      input: A tensor [batch, spatial axes, channels] with one to three spatial axes, or with channels second.
      window_shape: The size of the window, one to three numbers.
      pooling_type: `"MAX"` or `"AVG"`.
      strides: The steps of the window, one per spatial axis; 1 by default.
      padding: `"SAME"` or `"VALID"`.
      data_format: One of `"NWC"`, `"NCW"`, `"NHWC"`, `"NCHW"`, `"NDHWC"`, `"NCDHW"`; by default channels are last.
      dilations: The steps between the elements of the window, one per spatial axis; 1 by default.
      name: A name for the operation.

    Returns:
      A tensor of the same dtype and rank, with the spatial sizes that are left.

    Raises:
      ValueError: There is no such pooling, or `dilations` are combined with `strides` or with the padding `"SAME"`.

    >>> pool(constant([[[1.0], [3.0], [2.0]]]), [2], "MAX").numpy().ravel().tolist()
    [3.0, 3.0]
    """
    spatial = len(window_shape)
    if pooling_type not in ("MAX", "AVG") or not 1 <= spatial <= 3:
        raise ValueError(f"{spatial}-D {pooling_type} pooling is not supported.")
    kind = pooling_type.capitalize()
    dilations = [1] * spatial if dilations is None else [int(d) for d in np.broadcast_to(dilations, (spatial,))]
    strides = [1] * spatial if strides is None else [int(s) for s in np.broadcast_to(strides, (spatial,))]
    if all(d == 1 for d in dilations):
        return _pool(kind, input, list(window_shape), strides, padding, data_format, name, spatial)
    if any(s != 1 for s in strides):
        raise ValueError(
            f"`strides > 1` not supported in conjunction with `dilations > 1`. Received: strides={strides} and "
            f"dilations={dilations}"
        )
    if str(padding).upper() == "SAME":
        raise ValueError(
            f"pooling with 'SAME' padding is not implemented for `dilation_rate` > 1. Received: padding={padding} and "
            f"dilation_rate={dilations}"
        )
    return _dilated_pool(kind, convert_to_tensor(input), window_shape, data_format, dilations, name)


def _dilated_pool(kind, x, window, data_format, dilations, name):
    """The maximum or sum of shifted slices, one for each place in the window."""
    first = channels_first(data_format)
    spatial = len(window)
    dims = x.shape.as_list()
    start = 2 if first else 1
    sizes = [dims[start + i] - (window[i] - 1) * dilations[i] for i in range(spatial)]
    total = None
    for tap in np.ndindex(*window):
        begin, size = [0] * (spatial + 2), [-1] * (spatial + 2)
        for i, t in enumerate(tap):
            begin[start + i], size[start + i] = t * dilations[i], sizes[i]
        part = call("Slice", (x, constant(begin), constant(size)))
        total = part if total is None else call("Maximum" if kind == "Max" else "AddV2", (total, part), label=name)
    if kind == "Max":
        return total
    return call("RealDiv", (total, constant(int(np.prod(window)), x.dtype)), label=name)
