"""Convolutions and their gradients, each a TensorFlow op, on `xp.conv`, channels last.

Gradients are written on tensors (`grad_tensors`): those of a convolution are the two backprop ops, those of a backprop
op are the other two of the family. So they export as TensorFlow's own ops and work for every order. `grad` does the
same on `xp`, for programs in which shapes are known. A filter with fewer input channels than the input means a grouped
convolution.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from reflow.ops import registry
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.kernels.nn import batch_norm, pool
from reflow.ops.kernels.nn import trace_checks as traced
from reflow.ops.kernels.nn.trim import trim
from reflow.ops.kernels.nn.windows import Layout, padded, rank_of, register, shape_of, spatial_shape
from reflow.ops.naming import Naming

__all__ = ["batch_norm", "pool"]  # loaded with this module
_OWN = ("strides", "padding", "explicit_paddings", "data_format", "dilations")


class Geometry:
    """The spatial numbers of one call: strides, dilations, padding of each spatial axis, the groups, and what of it all
    lies in the padding only."""

    def __init__(self, layout, input_dims, filter_dims, attrs):
        strides, dilations = attrs["strides"], attrs.get("dilations")
        if dilations is None:
            dilations = (1,) * (layout.spatial + 2)
        self.strides, self.dilations = layout.numbers("strides", strides), layout.numbers("dilations", dilations)
        layout.only_spatial(strides, "strides", "Convolution")
        layout.only_spatial(dilations, "dilations", "Convolution")
        channels, depth = input_dims[-1], filter_dims[-2]
        if depth == 0 or channels % depth:
            raise ValueError(f"input depth must be evenly divisible by filter depth: {channels} vs {depth}")
        self.groups = channels // depth
        if filter_dims[-1] % self.groups:
            raise ValueError(
                f"output depth must be evenly divisible by number of groups: {filter_dims[-1]} vs {self.groups}"
            )
        self.padding = padded(
            layout, input_dims[1:-1], filter_dims[:-2], self.strides, self.dilations, attrs["padding"],
            attrs.get("explicit_paddings") or (),
        )
        self.trim = trim(input_dims, filter_dims, self.strides, self.dilations, self.padding)

    def conv(self, xp, x, w):
        if self.trim is None:
            return xp.conv(x, w, self.strides, self.padding, self.dilations, None, self.groups)
        if self.trim.empty:
            return xp.zeros(self.trim.out_dims, x.dtype)
        w = self.trim.taps(xp, w)
        y = xp.conv(x, w, self.strides, self.trim.padding, self.dilations, None, self.groups)
        return self.trim.with_all_outputs(xp, y)

    def backprop_input(self, xp, dims, w, g):
        if self.trim is None:
            return xp.conv_backprop_input(dims, w, g, self.strides, self.padding, self.dilations, self.groups)
        if self.trim.empty:
            return xp.zeros(dims, g.dtype)
        w, g = self.trim.taps(xp, w), self.trim.outputs(xp, g)
        return xp.conv_backprop_input(dims, w, g, self.strides, self.trim.padding, self.dilations, self.groups)

    def backprop_filter(self, xp, x, dims, g):
        if self.trim is None:
            return xp.conv_backprop_filter(x, dims, g, self.strides, self.padding, self.dilations, self.groups)
        if self.trim.empty:
            return xp.zeros(dims, g.dtype)
        few, g = self.trim.few_taps, self.trim.outputs(xp, g)
        w = xp.conv_backprop_filter(x, few, g, self.strides, self.trim.padding, self.dilations, self.groups)
        return self.trim.with_all_taps(xp, w)


class Dense:
    """Ordinary filters: [*window, in / groups, out]."""

    #: what TensorFlow says of strides that are not positive, by the number of axes in space
    strides_words = {
        2: "Row and column strides should be larger than 0.",
        3: "Spatial strides should be larger than 0.",
    }
    operand_words = {2: "convolution "}  # what it puts before the names of operands of a wrong rank

    @staticmethod
    def filter_dims(dims, channels):
        return tuple(dims)

    @staticmethod
    def out_channels(dims):
        return dims[-1]


class Depthwise:
    """Depthwise filters [*window, in, multiplier]: one group for each input channel."""

    strides_words: dict = {}  # the wording of most ops
    operand_words: dict = {}

    @staticmethod
    def filter_dims(dims, channels):
        if channels != dims[-2]:
            raise ValueError(f"input and filter must have the same depth: {channels} vs {dims[-2]}")
        return (*dims[:-2], 1, dims[-2] * dims[-1])

    @staticmethod
    def out_channels(dims):
        return None if None in dims[-2:] else dims[-2] * dims[-1]


def _rank_check(spatial, **shapes):
    for what, dims in shapes.items():
        if len(dims) != spatial + 2:
            raise ValueError(f"{what} must be {spatial + 2}-dimensional: {rules.text(dims)}")


def _sizes(name, value) -> tuple[int, ...]:
    if value.ndim != 1:
        raise ValueError(f"{name} shape must be rank 1 but is rank {value.ndim}")
    return tuple(value.tolist())


class Family(NamedTuple):
    """The three ops of one kind of convolution, by name, and what they have in common."""

    forward: str
    of_input: str
    of_filter: str
    spatial: int
    kind: type[Dense] | type[Depthwise]
    facts: dict = {}  # further facts about the forward op
    input_facts: dict = {}  # and about the gradient of its input

    @property
    def default_format(self) -> str:
        return "NHWC" if self.spatial == 2 else "NDHWC"

    def run(self, name, inputs, attrs):
        """One of the three on tensors, with another's attributes."""
        return run(name, *inputs, **_own(attrs))


def _own(attrs) -> dict:
    return {k: attrs[k] for k in _OWN if k in attrs}


def _attributes(strides, padding, explicit_paddings, dilations) -> dict:
    return {"strides": strides, "padding": padding, "explicit_paddings": explicit_paddings, "dilations": dilations}


def _register_forward(family):
    spatial, kind = family.spatial, family.kind
    called = kind.operand_words.get(spatial, "")

    def shape(f):
        layout = Layout(f.attr("data_format"), spatial)
        dims, w = layout.last_dims(rank_of(f, 0, spatial, f"{called}input")), rank_of(f, 1, spatial, f"{called}filter")
        strides = layout.numbers("strides", f.attrs["strides"], kind.strides_words.get(spatial))
        dilations = layout.numbers("dilations", f.attr("dilations") or (1,) * (spatial + 2))
        out = spatial_shape(f, layout, dims, w[:-2], strides, dilations)
        return [layout.back_dims((dims[0], *out, kind.out_channels(w)))]

    def grad_tensors(attrs, inputs, outputs, cotangents, wanted):
        (x, w), (g,) = inputs, cotangents
        return [
            family.run(family.of_input, [shape_of(x), w, g], attrs) if wanted[0] else None,
            family.run(family.of_filter, [x, shape_of(w), g], attrs) if wanted[1] else None,
        ]

    def grad(xp, attrs, inputs, outputs, cts, wanted):
        (x, w), (g,) = inputs, cts
        return (
            registry.get(family.of_input).kernel(xp, np.array(x.shape), w, g, **_own(attrs)) if wanted[0] else None,
            registry.get(family.of_filter).kernel(xp, x, np.array(w.shape), g, **_own(attrs)) if wanted[1] else None,
        )

    @register(family.forward, shape=shape, grad=grad, grad_tensors=grad_tensors, **family.facts)
    def convolution(
        xp, input, filter, strides, padding, explicit_paddings=(), data_format=family.default_format, dilations=None,
        use_cudnn_on_gpu=True,
    ):
        _rank_check(spatial, input=input.shape, filter=filter.shape)
        if 0 in filter.shape:
            raise ValueError("filter must not have zero elements (i.e. all dimensions must be non-zero)")
        layout = Layout(data_format, spatial)
        x = layout.last(xp, input)
        dims = kind.filter_dims(filter.shape, x.shape[-1])
        g = Geometry(layout, x.shape, dims, _attributes(strides, padding, explicit_paddings, dilations))
        w = filter if dims == tuple(filter.shape) else xp.reshape(filter, dims)
        return layout.back(xp, g.conv(xp, x, w))


def _register_of_input(family):
    spatial, kind = family.spatial, family.kind

    def shape(f):
        dims = rules.as_shape(f.values[0], f.shapes[0])
        return [dims if dims is not None and len(dims) == spatial + 2 else (None,) * (spatial + 2)]

    def grad_tensors(attrs, inputs, outputs, cotangents, wanted):
        (_, w, y), (g,) = inputs, cotangents
        return [
            None,
            family.run(family.of_filter, [g, shape_of(w), y], attrs) if wanted[1] else None,
            family.run(family.forward, [g, w], attrs) if wanted[2] else None,
        ]

    @register(family.of_input, shape=shape, static=("input_sizes",), grad_tensors=grad_tensors, **family.input_facts)
    def backprop_input(
        xp, input_sizes, filter, out_backprop, strides, padding, explicit_paddings=(),
        data_format=family.default_format, dilations=None, use_cudnn_on_gpu=True,
    ):
        layout = Layout(data_format, spatial)
        g = layout.last(xp, out_backprop)
        sizes = _sizes("input_sizes", input_sizes)
        if len(sizes) == spatial:  # TensorFlow also takes the spatial sizes alone
            sizes = layout.back_dims((g.shape[0], *sizes, filter.shape[-2]))
        _rank_check(spatial, input_sizes=sizes, filter=filter.shape, out_backprop=out_backprop.shape)
        sizes = layout.last_dims(sizes)
        dims = kind.filter_dims(filter.shape, sizes[-1])
        geometry = Geometry(layout, sizes, dims, _attributes(strides, padding, explicit_paddings, dilations))
        _check_output(family.forward, layout, geometry, sizes, dims, g.shape)
        w = filter if dims == tuple(filter.shape) else xp.reshape(filter, dims)
        return layout.back(xp, geometry.backprop_input(xp, sizes, w, g))


def _register_of_filter(family):
    spatial, kind = family.spatial, family.kind

    def shape(f):
        dims = rules.as_shape(f.values[1], f.shapes[1])
        return [(None,) * (spatial + 2) if dims is None else dims]

    def grad_tensors(attrs, inputs, outputs, cotangents, wanted):
        (x, _, y), (g,) = inputs, cotangents
        return [
            family.run(family.of_input, [shape_of(x), g, y], attrs) if wanted[0] else None,
            None,
            family.run(family.forward, [x, g], attrs) if wanted[2] else None,
        ]

    @register(
        family.of_filter, fits=f"* <{spatial + 2}>", shape=shape, static=("filter_sizes",), grad_tensors=grad_tensors,
        trace_check=traced.filter_sizes,
    )
    def backprop_filter(
        xp, input, filter_sizes, out_backprop, strides, padding, explicit_paddings=(),
        data_format=family.default_format, dilations=None, use_cudnn_on_gpu=True,
    ):
        layout = Layout(data_format, spatial)
        sizes = _sizes("filter_sizes", filter_sizes)
        _rank_check(spatial, input=input.shape, filter=sizes, out_backprop=out_backprop.shape)
        x, g = layout.last(xp, input), layout.last(xp, out_backprop)
        dims = kind.filter_dims(sizes, x.shape[-1])
        geometry = Geometry(layout, x.shape, dims, _attributes(strides, padding, explicit_paddings, dilations))
        _check_output(family.forward, layout, geometry, x.shape, dims, g.shape)
        out = geometry.backprop_filter(xp, x, dims, g)
        return out if dims == sizes else xp.reshape(out, sizes)


def _check_output(name, layout, geometry, input_dims, filter_dims, given):
    """The gradient's shape must be that of the convolution's output."""
    spatial = tuple(
        (n + sum(pair) - (k - 1) * d - 1) // s + 1
        for n, k, s, d, pair in zip(
            input_dims[1:-1], filter_dims[:-2], geometry.strides, geometry.dilations, geometry.padding, strict=True
        )
    )
    expected = (input_dims[0], *spatial, filter_dims[-1])
    if tuple(given) != expected:
        raise ValueError(
            f"{name}: out_backprop has shape {rules.text(layout.back_dims(given))}, expected "
            f"{rules.text(layout.back_dims(expected))}."
        )


for _family in (
    Family(
        "Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter", 2, Dense,
        facts={"trace_check": traced.conv, "heavy": True},
        input_facts={"trace_check": traced.conv_input, "naming": Naming("conv2d_transpose")},
    ),
    Family(
        "Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2", 3, Dense,
        facts={"trace_check": traced.conv, "heavy": True},
        input_facts={"fits": "<5>", "trace_check": traced.input_sizes, "naming": Naming("conv3d_transpose")},
    ),
    Family(
        "DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter", 2,
        Depthwise, facts={"trace_check": traced.depthwise_conv, "naming": Naming("depthwise")},
        input_facts={"fits": "<4>"},
    ),
):
    _register_forward(_family)
    _register_of_input(_family)
    _register_of_filter(_family)
