"""`tensorflow.python.layers.utils`: arguments of layers, and lengths that convolutions give."""

import numpy as np

from reflow.api.array.arrange import get_static_value
from reflow.core.tensor import is_tensor
from reflow.eager.variables import Variable

_FORMATS = {3: ("NWC", "NCW"), 4: ("NHWC", "NCHW"), 5: ("NDHWC", "NCDHW")}


def convert_data_format(data_format, ndim):
    """The data format of an op on `ndim` axes: `channels_last` of four is `NHWC`."""
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError(f'Invalid data_format: {data_format}. We only support "channels_first" or "channels_last"')
    if ndim not in _FORMATS:
        raise ValueError(f"Input rank: {ndim} not supported. We only support input rank 3, 4 or 5.")
    return _FORMATS[ndim][data_format == "channels_first"]


def normalize_tuple(value, n, name):
    """`n` integers from one or from a sequence of them."""
    if isinstance(value, int):
        return (value,) * n
    refusal = f"Argument `{name}` must be a tuple of {n} integers. Received: {value}"
    try:
        values = tuple(value)
    except TypeError:
        raise ValueError(refusal) from None
    if len(values) != n:
        raise ValueError(refusal)
    for single in values:
        try:
            int(single)
        except (ValueError, TypeError):
            raise ValueError(f"{refusal} including element {single} of type {type(single)}") from None
    return values


def _one_of(value, name, allowed):
    found = value.lower()
    if found not in allowed:
        names = ", ".join(f'"{word}"' for word in allowed)
        raise ValueError(f"The `{name}` argument must be one of {names}. Received: {value}.")
    return found


def normalize_data_format(value):
    """A data format of layers in lower case."""
    return _one_of(value, "data_format", ("channels_first", "channels_last"))


def normalize_padding(value):
    """A padding in lower case."""
    return _one_of(value, "padding", ("valid", "same"))


def _check_padding(padding):
    if padding not in ("same", "valid", "full"):
        raise AssertionError(f"padding is 'same', 'valid' or 'full', not {padding!r}")


def conv_output_length(input_length, filter_size, padding, stride, dilation=1):
    """The length that a convolution makes of another; None of None."""
    if input_length is None:
        return None
    _check_padding(padding)
    reach = (filter_size - 1) * dilation
    length = input_length + {"same": 0, "valid": -reach, "full": reach}[padding]
    return (length + stride - 1) // stride


def conv_input_length(output_length, filter_size, padding, stride):
    """The least length of which a convolution makes another; None of None."""
    if output_length is None:
        return None
    _check_padding(padding)
    pad = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * pad + filter_size


def deconv_output_length(input_length, filter_size, padding, stride):
    """The length that a transposed convolution makes of another; None of None."""
    if input_length is None:
        return None
    return (
        input_length * stride
        + {"valid": max(filter_size - stride, 0), "full": -(stride + filter_size - 2)}.get(padding, 0)
    )


def constant_value(pred):
    """The value of a condition, None if it is known only when the program runs."""
    if isinstance(pred, Variable):
        return None
    if is_tensor(pred):
        return get_static_value(pred)
    if isinstance(pred, (bool, np.bool_)) or pred in (0, 1):
        return bool(pred)
    raise TypeError(
        f"Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred={pred} of "
        f"type {type(pred).__name__}"
    )
