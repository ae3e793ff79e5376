"""`tensorflow.python.ops.nn_ops`: convolutions of any rank, the n-th smallest element, version 1's axis order."""

from __future__ import annotations

from typing import Any

from reflow.api.linalg.products import matmul
from reflow.api.nn.conv import convolution
from reflow.api.raw_ops import raw_ops
from reflow.api.scoped import scoped
from reflow.core.shapes import TensorShape
from reflow.ops.convert import convert_to_tensor


def nth_element(input: Any, n: Any, reverse: bool = False, name: str | None = None) -> Any:
    """The n-th smallest element of the last axis, counted from 0; with `reverse` the n-th largest."""
    return raw_ops.NthElement(input=input, n=n, reverse=reverse, name=name)


def bias_add_v1(value: Any, bias: Any, name: str | None = None) -> Any:
    """A vector added along the last axis, by the op of TensorFlow 0.5."""
    return raw_ops.BiasAddV1(value=value, bias=bias, name=name)


@scoped("xw_plus_b_v1")
def xw_plus_b_v1(x: Any, weights: Any, biases: Any, name: str | None = None) -> Any:
    """`x` times weights plus biases, by the ops of TensorFlow 0.5."""
    return bias_add_v1(matmul(x, weights), biases)


def convert_padding(padding: Any, expected_length: int = 4) -> tuple[Any, list]:
    """(padding, explicit_paddings) as ops take them, from a word or a list of pairs."""
    if padding == "EXPLICIT":
        raise ValueError(
            "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` must be a list."
        )
    if not isinstance(padding, (list, tuple)):
        return padding, []
    for i, pair in enumerate(padding):
        is_list = isinstance(pair, (list, tuple))
        if not is_list or len(pair) != 2:
            found = f"size {len(pair)}" if is_list else f"type {type(pair)}"
            raise ValueError(
                "When `padding` is a list, each element of `padding` must be a list/tuple of size 2. "
                f"Received: padding={padding} with element at index {i} of {found}"
            )
    if len(padding) != expected_length:
        raise ValueError(
            f"When padding is a list, it must be of size {expected_length}. Received: "
            f"padding={padding} of size {len(padding)}"
        )
    return "EXPLICIT", [size for pair in padding for size in pair]


def convolution_internal(
    input: Any, filters: Any, strides: Any = None, padding: Any = "VALID", data_format: str | None = None,
    dilations: Any = None, name: str | None = None, call_from_convolution: bool = True,
    num_spatial_dims: int | None = None,
) -> Any:  # fmt: skip
    """`tf.nn.convolution`; `num_spatial_dims` must be what the filters say.

    Both values of `call_from_convolution` give the same.
    """
    filters = convert_to_tensor(filters)
    rank = filters.shape.rank
    if num_spatial_dims is not None and rank is not None and rank - 2 != num_spatial_dims:
        raise ValueError(
            "`filters.shape.rank - 2` should equal `num_spatial_dims`. "
            f"Received: filters.shape={filters.shape} of rank {rank} and num_spatial_dims={num_spatial_dims}"
        )
    return convolution(input, filters, strides, padding, data_format, dilations, name)


class Convolution:
    """A convolution for inputs and filters of known shapes, called with both."""

    def __init__(
        self, input_shape: Any, filter_shape: Any, padding: Any, strides: Any = None, dilation_rate: Any = None,
        name: str | None = None, data_format: str | None = None, num_spatial_dims: int | None = None,
    ) -> None:  # fmt: skip
        self.input_shape, self.filter_shape = TensorShape(input_shape), TensorShape(filter_shape)
        self.num_spatial_dims = self._spatial_dims(num_spatial_dims)
        self.padding, self.data_format, self.name = padding, data_format, name
        self.strides, self.dilation_rate = strides, dilation_rate
        self._check_channels()

    def _spatial_dims(self, given: int | None) -> int:
        inputs, filters = self.input_shape, self.filter_shape
        if given is not None and filters.rank not in (None, given + 2):
            raise ValueError(
                "`filters.shape.rank` must be `num_spatial_dims + 2`. "
                f"Received: filters.shape={filters} of rank {filters.rank} and num_spatial_dims={given}"
            )
        rank = filters.rank if filters.rank is not None else given + 2 if given is not None else inputs.rank
        if rank is None:
            raise ValueError(
                "When `num_spatial_dims` is not set, one of `input.shape.rank` or `filters.shape.rank` must be known. "
                f"Received: input.shape={inputs} of rank {inputs.rank} and `filters.shape={filters}` of rank "
                f"{filters.rank}"
            )
        if inputs.rank is not None and inputs.rank < rank:
            raise ValueError(
                "`input.shape.rank` must be >= than `num_spatial_dims + 2`. "
                f"Received: input.shape={inputs} of rank {inputs.rank} and num_spatial_dims={rank - 2}"
            )
        return rank - 2

    def _check_channels(self) -> None:
        if None in (self.input_shape.rank, self.filter_shape.rank):
            return
        first = (self.data_format or "").startswith("NC")
        channels = self.input_shape[-self.num_spatial_dims - 1 if first else -1]
        per_group = self.filter_shape[-2]
        if channels is not None and per_group is not None and channels % per_group:
            raise ValueError(
                "The number of input channels is not divisible by the corresponding number of output filters. "
                f"Received: input.shape={self.input_shape} with {channels} channels and "
                f"filters.shape={self.filter_shape} with {per_group} output filters."
            )

    def __call__(self, inp: Any, filter: Any) -> Any:
        return convolution(inp, filter, self.strides, self.padding, self.data_format, self.dilation_rate, self.name)
