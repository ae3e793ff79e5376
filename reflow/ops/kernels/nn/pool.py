"""Pooling and its gradients, each a TensorFlow op. Gradients are written on tensors, as in `conv`.

The gradient of a maximum goes to the first one in its window, in row-major order (with three axes: to all of them). An
average counts only elements inside the input.
"""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes, errors
from reflow.ops import registry, require
from reflow.ops import shape_rules as rules
from reflow.ops.dispatch import run
from reflow.ops.kernels.nn import trace_checks as traced
from reflow.ops.kernels.nn.trim import trimmed_axis
from reflow.ops.kernels.nn.windows import Layout, padded, rank_of, register, shape_of, spatial_shape
from reflow.ops.naming import Naming
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp.dtype_facts import extremes
from reflow.ops.xp.windows import window_of

_OWN = ("ksize", "strides", "padding", "explicit_paddings", "data_format")


def _own(attrs):
    return {k: attrs[k] for k in _OWN if k in attrs}


class Geometry:
    """Window, strides and padding of the spatial axes."""

    def __init__(self, layout, dims, ksize, strides, padding, explicit=()):
        if len(dims) != layout.spatial + 2:
            raise ValueError(f"tensor_in must be {layout.spatial + 2}-dimensional: {rules.text(dims)}")
        self.window, self.strides = layout.numbers("ksize", ksize), layout.numbers("strides", strides)
        layout.only_spatial(ksize, "pooling", "Pooling")
        layout.only_spatial(strides, "strides", "Pooling")
        self.padding = padded(
            layout, dims[1:-1], self.window, self.strides, (1,) * layout.spatial, padding, explicit or ()
        )
        if explicit:
            self._refuse_wide_padding()
        if any(k > n > 0 for k, n in zip(self.window, dims[1:-1])):
            self._trim(dims[1:-1])

    def _refuse_wide_padding(self):
        """Reject padding that would put a whole window into it: such a window has no maximum."""
        sides = zip(("Top", "Bottom", "Left", "Right"), [p for pair in self.padding for p in pair])
        for i, (side, pad) in enumerate(sides):
            if pad >= self.window[i // 2]:
                size = self.window[i // 2]
                raise ValueError(f"{side} padding {pad} needs to be smaller than the window size {size}")

    def _trim(self, spatial):
        """Crop a window that is larger than the image to the taps that meet it: the others would need padding as large
        as the window.
        """
        out = window_of(spatial, self.window, self.strides, self.padding).out
        if 0 in out or 0 in spatial:
            return
        axes = [
            trimmed_axis(n, k, size, s, 1, before)
            for n, k, size, s, (before, _) in zip(spatial, self.window, out, self.strides, self.padding, strict=True)
        ]
        self.window = tuple(axis.taps[1] - axis.taps[0] for axis in axes)
        self.padding = tuple((before, max(after, 0)) for before, after in (axis.padding for axis in axes))

    def __iter__(self):
        return iter((self.window, self.strides, self.padding))

    def check_outputs(self, dims, **outputs):
        """What has the shape of the result of pooling an input of shape `dims`, channels last, has it."""
        wanted = (dims[0], *window_of(dims[1:-1], self.window, self.strides, self.padding).out, dims[-1])
        for name, x in outputs.items():
            if tuple(x.shape) != wanted:
                raise ValueError(f"Expected {name} shape to be {rules.text(wanted)}, but got {rules.text(x.shape)}")


def _pool_shape(spatial):
    def rule(f):
        layout = Layout(f.attr("data_format"), spatial)
        dims = layout.last_dims(rank_of(f, 0, spatial))
        # As in TensorFlow, an empty window is rejected when it runs.
        window, strides = layout.inner(f.attrs["ksize"]), layout.numbers("strides", f.attrs["strides"])
        depth, group = dims[-1], _group(layout, f.attrs["ksize"])
        if group > 1 and depth is not None:
            depth = None if depth % group else depth // group
        inner = spatial_shape(f, layout, dims, window, strides, (1,) * spatial)
        return [layout.back_dims((dims[0], *inner, depth))]

    return rule


def _group(layout, ksize) -> int:
    """How many channels a window holds."""
    return ksize[1] if layout.first else ksize[-1]


def _across_channels(xp, layout, x, ksize, strides):
    """The largest of each group of neighbouring channels."""
    group, stride = _group(layout, ksize), _group(layout, strides)
    why = ""
    if any(k != 1 for k in layout.inner(ksize)):
        why = "MaxPooling supports exactly one of pooling across depth or pooling across width/height."
    elif x.shape[-1] % group:
        why = "Depthwise max pooling requires the depth window to evenly divide the input depth"
    elif group != stride or any(s != 1 for s in layout.inner(strides)):
        why = "Depthwise max pooling requires the depth window to equal the depth stride"
    if why:
        raise errors.UnimplementedError(None, None, why)
    return xp.max(xp.reshape(x, (*x.shape[:-1], x.shape[-1] // group, group)), -1, False)


def _zeros(tensors, wanted):
    """The input and the output only say where the maxima are: TensorFlow returns zeros for them."""
    return [run("ZerosLike", t) if w else None for t, w in zip(tensors, wanted, strict=False)]


def _max_family(name, grad_name, grad_grad_name, spatial, **facts):
    default_format = "NHWC" if spatial == 2 else "NDHWC"

    def grad(attrs, inputs, outputs, cotangents, wanted):
        return [run(grad_name, inputs[0], outputs[0], cotangents[0], **_own(attrs))]

    def on_arrays(xp, attrs, inputs, outputs, cts, wanted):
        return (registry.get(grad_name).kernel(xp, inputs[0], outputs[0], cts[0], **_own(attrs)),)

    @register(name, shape=_pool_shape(spatial), grad=on_arrays, grad_tensors=grad, trace_check=traced.pool, **facts)
    def largest(xp, input, ksize, strides, padding, explicit_paddings=(), data_format=default_format):
        layout = Layout(data_format, spatial)
        x = layout.last(xp, input)
        if spatial == 2 and _group(layout, ksize) > 1 and ksize[0] == strides[0] == 1:
            return layout.back(xp, _across_channels(xp, layout, x, ksize, strides))
        return layout.back(xp, xp.max_pool(x, *Geometry(layout, x.shape, ksize, strides, padding, explicit_paddings)))

    def grad_grad(attrs, inputs, outputs, cotangents, wanted):
        known = {k: v for k, v in _own(attrs).items() if k != "explicit_paddings"}
        second = run(grad_grad_name, inputs[0], inputs[1], cotangents[0], **known) if wanted[2] else None
        return [*_zeros(inputs[:2], wanted), second]

    @register(grad_name, fits=f"{spatial + 2}", shape=rules.same_of_rank(spatial + 2), grad_tensors=grad_grad)
    def backprop(
        xp, orig_input, orig_output, grad, ksize, strides, padding, explicit_paddings=(), data_format=default_format
    ):
        layout = Layout(data_format, spatial)
        require.rank(spatial + 2, tensor_in=orig_input, tensor_out=orig_output, out_backprop=grad)
        x, y, g = (layout.last(xp, t) for t in (orig_input, orig_output, grad))
        geometry = Geometry(layout, x.shape, ksize, strides, padding, explicit_paddings)
        geometry.check_outputs(x.shape, orig_output=y, grad=g)
        grad = xp.max_pool_grad(x, y, g, *geometry) if spatial == 2 else _to_all_maxima(xp, x, y, g, geometry)
        return layout.back(xp, grad)

    def again(attrs, inputs, outputs, cotangents, wanted):
        third = run(grad_name, inputs[0], inputs[1], cotangents[0], **_own(attrs)) if wanted[2] else None
        return [*_zeros(inputs[:2], wanted), third]

    @register(
        grad_grad_name, fits=f"{spatial + 2}", shape=lambda f: [f.shapes[1]], grad_tensors=again,
        trace_check=traced.pool_second_gradient,
    )
    def backprop_twice(xp, orig_input, orig_output, grad, ksize, strides, padding, data_format=default_format):
        layout = Layout(data_format, spatial)
        require.rank(spatial + 2, tensor_in=orig_input, tensor_out=orig_output, out_grad_backprop=grad)
        x, y, g = (layout.last(xp, t) for t in (orig_input, orig_output, grad))
        geometry = Geometry(layout, x.shape, ksize, strides, padding)
        geometry.check_outputs(x.shape, orig_output=y)
        if g.shape != x.shape:
            raise ValueError(f"Expected grad shape to be {rules.text(x.shape)}, but got {rules.text(g.shape)}")
        return layout.back(
            xp, _at_maximum(xp, x, y, geometry, _taps_of(xp, g, geometry, x.shape, xp.const(0, g)), xp.const(0, g))
        )


def _taps_of(xp, x, geometry, dims, fill):
    """For each place in the window, what the windows see there: a list of arrays of the output's shape."""
    window = window_of(dims[1:-1], geometry.window, geometry.strides, geometry.padding)
    full = xp.pad(x, ((0, 0), *geometry.padding, (0, 0)), fill) if window.is_padded else x
    return [
        xp.strided_slice(
            full, (None, *[s.start for s in where]), (None, *[s.stop for s in where]), (1, *[s.step for s in where])
        )
        for _, where in window.taps()
    ]


def _at_maximum(xp, x, y, geometry, values, zero):
    """Of values at each place in the window, the one at the first maximum."""
    free, result = None, None
    lowest = xp.asarray(extremes(np.dtype(x.dtype))[0], np.dtype(x.dtype))
    for seen, value in zip(_taps_of(xp, x, geometry, x.shape, lowest), values, strict=True):
        hit = xp.equal(seen, y)
        if free is not None:
            hit = xp.logical_and(hit, free)
        free = xp.logical_not(hit) if free is None else xp.logical_and(free, xp.logical_not(hit))
        result = xp.select(hit, value, zero if result is None else result)
    return result


def _to_all_maxima(xp, x, y, g, geometry):
    """The cotangent of a maximum, given to every element that is one: TensorFlow's rule for three axes."""
    window = window_of(x.shape[1:-1], geometry.window, geometry.strides, geometry.padding)
    lowest = xp.asarray(extremes(np.dtype(x.dtype))[0], np.dtype(x.dtype))
    full = (x.shape[0], *window.padded, x.shape[-1])
    total = xp.zeros(full, np.dtype(g.dtype))
    for seen, (_, where) in zip(_taps_of(xp, x, geometry, x.shape, lowest), window.taps(), strict=True):
        part = xp.select(xp.equal(seen, y), g, xp.const(0, g))
        bounds = [(None, *[getattr(s, end) for s in where]) for end in ("start", "stop")]
        total = xp.add(total, xp.strided_slice_grad(part, full, *bounds, (1, *[s.step for s in where])))
    return xp.slice(total, (0, *[before for before, _ in geometry.padding], 0), tuple(x.shape))


def _average_family(name, grad_name, spatial, **facts):
    default_format = "NHWC" if spatial == 2 else "NDHWC"

    def grad(attrs, inputs, outputs, cotangents, wanted):
        return [run(grad_name, shape_of(inputs[0]), cotangents[0], **_own(attrs))]

    def on_arrays(xp, attrs, inputs, outputs, cts, wanted):
        return (registry.get(grad_name).kernel(xp, np.array(inputs[0].shape), cts[0], **_own(attrs)),)

    def mean(xp, x, ksize, strides, padding, data_format=default_format):
        layout = Layout(data_format, spatial)
        x = layout.last(xp, x)
        return layout.back(xp, xp.avg_pool(x, *Geometry(layout, x.shape, ksize, strides, padding)))

    facts |= {"shape": _pool_shape(spatial), "grad": on_arrays, "grad_tensors": grad, "trace_check": traced.pool}
    if spatial == 2:

        @op(name, **facts)
        def mean_2d(xp, value, ksize, strides, padding, data_format=default_format):
            return mean(xp, value, ksize, strides, padding, data_format)
    else:

        @op(name, **facts)
        def mean_3d(xp, input, ksize, strides, padding, data_format=default_format):
            return mean(xp, input, ksize, strides, padding, data_format)

    def grad_grad(attrs, inputs, outputs, cotangents, wanted):
        return [None, run(name, cotangents[0], **_own(attrs)) if wanted[1] else None]

    @op(
        grad_name, fits=f"<{spatial + 2}>",
        shape=lambda f: [rules.as_shape(f.values[0], f.shapes[0]) or (None,) * (spatial + 2)],
        static=("orig_input_shape",),
        grad_tensors=grad_grad,
    )
    def backprop(xp, orig_input_shape, grad, ksize, strides, padding, data_format=default_format):
        require.rank(spatial + 2, out_backprop=grad)
        require.vector("orig_input_shape", orig_input_shape, spatial + 2)
        if spatial == 3 and orig_input_shape[0] != grad.shape[0]:
            raise ValueError(
                "Expected first dimension of tensor_in_shape and out_backprop to match, got "
                f"{orig_input_shape[0]} and {grad.shape[0]}"
            )
        layout = Layout(data_format, spatial)
        dims = layout.last_dims(tuple(orig_input_shape.tolist()))
        geometry = Geometry(layout, dims, ksize, strides, padding)
        grad = layout.last(xp, grad)
        geometry.check_outputs(dims, grad=grad)
        return layout.back(xp, xp.avg_pool_grad(dims, grad, *geometry))


_max_family("MaxPool", "MaxPoolGrad", "MaxPoolGradGrad", 2, naming=Naming("MaxPool2d"))
_max_family("MaxPool3D", "MaxPool3DGrad", "MaxPool3DGradGrad", 3)
_average_family("AvgPool", "AvgPoolGrad", 2, naming=Naming("AvgPool2D"))
_average_family("AvgPool3D", "AvgPool3DGrad", 3)


def _v2_attrs(attrs, ksize, strides) -> dict:
    """MaxPoolV2 has as inputs what are attributes of MaxPool."""
    require.vectors(4, ksize=ksize, strides=strides)
    return {
        "ksize": ksize.tolist(),
        "strides": strides.tolist(),
        "padding": attrs["padding"],
        "data_format": attrs.get("data_format") or "NHWC",
    }


def _v2_grad(attrs, inputs, outputs, cotangents, wanted):
    known = {k: attrs[k] for k in ("padding", "data_format") if k in attrs}
    given = [inputs[0], outputs[0], cotangents[0], *inputs[1:]]
    return [run("MaxPoolGradV2", *given, **known), None, None]


def _v2_on_arrays(xp, attrs, inputs, outputs, cts, wanted):
    known = _v2_attrs(attrs, *inputs[1:])
    return registry.get("MaxPoolGrad").kernel(xp, inputs[0], outputs[0], cts[0], **known), None, None


def _v2_shape(f):
    ksize, strides = f.values[1:]
    if not (rules.known(ksize) and rules.known(strides)):
        dims = rank_of(f, 0, 2)
        return [(dims[0], None, None, dims[3])]
    require.vectors(4, ksize=np.asarray(ksize), strides=np.asarray(strides))
    attrs = {**f.attrs, "ksize": ksize, "strides": strides}
    return _pool_shape(2)(rules.NodeFacts(f.op, f.dtypes, f.shapes, f.values, attrs))


@op(
    "MaxPoolV2", fits="4 [4] [4]", static=("ksize", "strides"), shape=_v2_shape, grad=_v2_on_arrays,
    grad_tensors=_v2_grad,
)
def max_pool_v2(xp, input, ksize, strides, padding, data_format="NHWC"):
    known = _v2_attrs({"padding": padding, "data_format": data_format}, ksize, strides)
    return registry.get("MaxPool").kernel(xp, input, **known)


def _v2_grad_grad(attrs, inputs, outputs, cotangents, wanted):
    known = {k: attrs[k] for k in ("padding", "data_format") if k in attrs}
    given = [*inputs[:2], cotangents[0], *inputs[3:]]
    second = run("MaxPoolGradGradV2", *given, **known) if wanted[2] else None
    return [*_zeros(inputs[:2], wanted), second, None, None]


@op("MaxPoolGradV2", static=("ksize", "strides"), shape=rules.same_of_rank(4), grad_tensors=_v2_grad_grad)
def max_pool_grad_v2(xp, orig_input, orig_output, grad, ksize, strides, padding, data_format="NHWC"):
    known = _v2_attrs({"padding": padding, "data_format": data_format}, ksize, strides)
    return registry.get("MaxPoolGrad").kernel(xp, orig_input, orig_output, grad, **known)


@op(
    "MaxPoolGradGradV2", fits="4 * * [4] [4]", static=("ksize", "strides"), shape=rules.same_of_rank(4, 1),
    grad=NO_GRADIENT, trace_check=traced.pool_second_gradient,
)
def max_pool_grad_grad_v2(xp, orig_input, orig_output, grad, ksize, strides, padding, data_format="NHWC"):
    known = _v2_attrs({"padding": padding, "data_format": data_format}, ksize, strides)
    return registry.get("MaxPoolGradGrad").kernel(xp, orig_input, orig_output, grad, **known)


# --- the place of the maximum -----------------------------------------------------------------------------------------


def _argmax_grad(attrs, inputs, outputs, cotangents, wanted):
    known = {k: attrs[k] for k in ("ksize", "strides", "padding", "include_batch_in_index") if k in attrs}
    return [run("MaxPoolGradWithArgmax", inputs[0], cotangents[0], outputs[1], **known)]


def _argmax_on_arrays(xp, attrs, inputs, outputs, cts, wanted):
    known = {k: attrs[k] for k in ("ksize", "strides", "padding", "include_batch_in_index") if k in attrs}
    return (registry.get("MaxPoolGradWithArgmax").kernel(xp, inputs[0], cts[0], outputs[1], **known),)


@op(
    "MaxPoolWithArgmax", fits="4", shape=lambda f: _pool_shape(2)(f) * 2, grad=_argmax_on_arrays,
    grad_tensors=_argmax_grad,
)
def max_pool_with_argmax(xp, input, ksize, strides, padding, Targmax=dtypes.int64, include_batch_in_index=False):
    """Maxima and their flat indices ((row * width) + column) * channels + channel, the batch in front if wanted."""
    for size in ksize:
        if size <= 0:
            raise ValueError(f"ksize must be a positive int32 value, got:{size}")
    if not input.size:
        raise ValueError("tensor_in must not be empty (2)")
    geometry = Geometry(Layout("NHWC", 2), input.shape, ksize, strides, padding)
    y = xp.max_pool(input, *geometry)
    batch, height, width, channels = input.shape
    dtype = Targmax.np_dtype
    flat = xp.reshape(xp.iota(height * width * channels, dtype), (1, height, width, channels))
    if include_batch_in_index:
        starts = xp.multiply(xp.iota(batch, dtype), xp.asarray(height * width * channels, dtype))
        flat = xp.add(flat, xp.reshape(starts, (batch, 1, 1, 1)))
    flat = xp.broadcast_to(flat, tuple(input.shape))
    zero = xp.asarray(0, dtype)
    places = _taps_of(xp, flat, geometry, input.shape, zero)
    return y, _at_maximum(xp, input, y, geometry, places, xp.zeros(tuple(y.shape), dtype))


def _in_batch(xp, input, argmax, include_batch_in_index):
    """Places of maxima as indices into all of the flat input."""
    if include_batch_in_index:
        return argmax
    batch, size = input.shape[0], int(np.prod(input.shape[1:]))
    starts = xp.multiply(xp.iota(batch, argmax.dtype), xp.asarray(size, argmax.dtype))
    return xp.add(argmax, xp.reshape(starts, (batch, 1, 1, 1)))


@op("MaxPoolGradWithArgmax", fits="4", shape=rules.same_of_rank(4), grad=NO_GRADIENT)
def max_pool_grad_with_argmax(xp, input, grad, argmax, ksize, strides, padding, include_batch_in_index=False):
    if len(strides) != 4:
        raise ValueError("Sliding window stride field must specify 4 dimensions")
    over_images = (1, *strides[1:3], 1)  # TensorFlow ignores the others here
    geometry = Geometry(Layout("NHWC", 2), input.shape, ksize, over_images, padding)
    geometry.check_outputs(input.shape, grad=grad, argmax=argmax)
    index = _in_batch(xp, input, argmax, include_batch_in_index)
    flat = xp.zeros((int(np.prod(input.shape)),), grad.dtype)
    return xp.reshape(
        xp.scatter_rows("add", flat, xp.reshape(index, (-1,)), xp.reshape(grad, (-1,))), tuple(input.shape)
    )


@op("MaxPoolGradGradWithArgmax", fits="4", shape=lambda f: [f.shapes[2] or (None,) * 4], grad=NO_GRADIENT)
def max_pool_grad_grad_with_argmax(xp, input, grad, argmax, ksize, strides, padding, include_batch_in_index=False):
    """The elements of `grad` at the positions of the maxima."""
    require.equal_shapes(input=input, grad=grad)
    index = _in_batch(xp, input, argmax, include_batch_in_index)
    return xp.reshape(xp.take(xp.reshape(grad, (-1,)), xp.reshape(index, (-1,)), 0), tuple(argmax.shape))
