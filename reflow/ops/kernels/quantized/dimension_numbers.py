"""The order of the axes of a convolution: the attribute `dimension_numbers` of `UniformQuantizedConvolution`.

It is a serialized message. Each field is an axis, or a list of axes:

    1 batch, 2 features, 3 spatial axes of the input;
    4 input features, 5 output features, 6 spatial axes of the kernel;
    7 batch, 8 features, 9 spatial axes of the output

Empty, it means (batch, features, spatial…) and, for the kernel, (output features, input features, spatial…).
"""

from __future__ import annotations

from typing import NamedTuple


class DimensionNumbers(NamedTuple):
    """Which axis is what."""

    input_batch: int
    input_feature: int
    input_spatial: tuple[int, ...]
    kernel_input: int
    kernel_output: int
    kernel_spatial: tuple[int, ...]
    output_batch: int
    output_feature: int
    output_spatial: tuple[int, ...]

    @classmethod
    def of(cls, text: str, rank: int) -> DimensionNumbers:
        """From the attribute of an op whose operands have `rank` axes."""
        spatial = tuple(range(2, rank))
        if not text:
            return cls(0, 1, spatial, 1, 0, spatial, 0, 1, spatial)
        found: dict[int, list[int]] = {number: [] for number in range(1, 10)}
        for number, value in _fields(text.encode(errors="surrogateescape")):
            found.setdefault(number, []).extend(value)
        single = {number: (values or [0])[-1] for number, values in found.items()}
        numbers = cls(*[tuple(found[n]) if n % 3 == 0 else single[n] for n in range(1, 10)])  # type: ignore[arg-type]
        for axes in (numbers.input_order(), numbers.kernel_order(), numbers.output_order()):
            if sorted(axes) != list(range(rank)):
                raise ValueError(f"dimension_numbers must name each of the {rank} axes once, got {axes}")
        return numbers

    def input_order(self) -> tuple[int, ...]:
        """The axes of the input as (batch, spatial…, features)."""
        return self.input_batch, *self.input_spatial, self.input_feature

    def kernel_order(self) -> tuple[int, ...]:
        """The axes of the kernel as (spatial…, input features, output features)."""
        return *self.kernel_spatial, self.kernel_input, self.kernel_output

    def output_order(self) -> tuple[int, ...]:
        """The axes of the output as (batch, spatial…, features)."""
        return self.output_batch, *self.output_spatial, self.output_feature


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number in base 128, lowest group first, and where it ends."""
    value = shift = 0
    while at < len(data):
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at
    raise ValueError("Error parsing convolution dimension numbers.")


def _fields(data: bytes) -> list[tuple[int, list[int]]]:
    """The fields of the message; a list may come as one packed field or as several."""
    at, found = 0, []
    while at < len(data):
        key, at = _number(data, at)
        if key & 7 == 2:
            size, at = _number(data, at)
            end, values = at + size, []
            while at < end:
                value, at = _number(data, at)
                values.append(value)
        elif key & 7 == 0:
            value, at = _number(data, at)
            values = [value]
        else:
            raise ValueError("Error parsing convolution dimension numbers.")
        found.append((key >> 3, values))
    return found
