"""`Reflow>VJP`: the gradient of one op, itself an op.

The reverse pass dispatches one VJP for each op it visits: in eager code the record's gradient runs on host arrays, in a
graph it is one node whose kernel sees concrete shapes. Its inputs are the tensors the gradient reads: some of the
forward op's inputs, some of its outputs (the record's `needs`), then the nonzero cotangents. Of the record's
`shape_only` operands only the shape matters: if it is known when a graph is traced, the tensor itself is omitted. To
differentiate or export a VJP, `expand` runs the same gradient on *tensors*, so that it becomes ordinary ops.
"""

from __future__ import annotations

from reflow.core import dtypes
from reflow.core.context import entered_again, state, swapped
from reflow.core.tensor import EagerTensor, ndarray
from reflow.ops import batching, registry
from reflow.ops.dispatch import dispatch, run
from reflow.ops.registry import own_op, places
from reflow.ops.shape_facts import ShapeOnly
from reflow.ops.xp import host as host_xp


def needed(op, attrs, inputs, outputs):
    """Positions of the inputs and outputs that the op's gradient reads, and those of which it reads only the shape."""
    definition = op.definition
    if op.needs is None:
        ins, outs = list(range(len(inputs))), list(range(len(outputs)))
    else:
        ins = places(definition.inputs, len(inputs), attrs, op.needs)
        outs = places(definition.outputs, len(outputs), attrs, op.needs)
    if not op.shape_only or state.graph is None:
        return ins, outs, ()
    shape_in = _shaped(inputs, set(places(definition.inputs, len(inputs), attrs, op.shape_only)).intersection(ins))
    shape_out = _shaped(outputs, set(places(definition.outputs, len(outputs), attrs, op.shape_only)).intersection(outs))
    shape_only = (
        *[("in", i, inputs[i].shape._dims, inputs[i]._dtype) for i in shape_in],
        *[("out", i, outputs[i].shape._dims, outputs[i]._dtype) for i in shape_out],
    )
    return [i for i in ins if i not in shape_in], [i for i in outs if i not in shape_out], shape_only


def _shaped(tensors, positions) -> list:
    return [i for i in sorted(positions) if tensors[i].shape.is_fully_defined()]


def call_vjp(op, attrs, inputs, outputs, cotangents, wanted):
    """One cotangent (a tensor) per wanted input of a forward op, `None` elsewhere."""
    if op.grad_check is not None:
        op.grad_check(attrs, [t.shape._dims for t in inputs], cotangents)
    direct = state.direct
    if direct is not None and op.grad is not None:
        return _run_now(direct, op, attrs, inputs, outputs, cotangents, wanted)
    ins, outs, shape_only = needed(op, attrs, inputs, outputs)
    given = tuple(c is not None for c in cotangents)
    flat = [inputs[i] for i in ins] + [outputs[i] for i in outs] + [c for c in cotangents if c is not None]
    shapes_of = [i for i, w in enumerate(wanted) if w]
    grads = dispatch(
        VJP,
        flat,
        {
            "forward": op,
            "forward_attrs": attrs,
            "wanted": tuple(wanted),
            "given": given,
            "ins": tuple(ins),
            "outs": tuple(outs),
            "shape_only": shape_only,
            "Tout": [inputs[i]._dtype for i in shapes_of],
            "shapes": [inputs[i].shape._dims for i in shapes_of],
        },
    )
    result = [None] * len(inputs)
    for i, grad in zip(shapes_of, grads, strict=True):
        result[i] = grad
    return result


def _run_now(direct, op, attrs, inputs, outputs, cotangents, wanted):
    """The gradient on host arrays, without an op around it: nothing is recording."""
    ins, outs, cts = host_arrays(inputs), host_arrays(outputs), host_arrays(cotangents)
    try:
        grads = direct(op.grad, host_xp, attrs, ins, outs, cts, wanted)
    except RuntimeError as error:
        grads = entered_again(error)(op.grad, host_xp, attrs, ins, outs, cts, wanted)
    return [EagerTensor(g) if w else None for g, w in zip(grads, wanted, strict=True)]


def host_arrays(tensors):
    """The tensors' values; None for None."""
    # `_host` also finds those that are arrays already, but its call takes as long as the rest of this line
    return [None if t is None else t._value if type(t._value) is ndarray else t._host() for t in tensors]


def _shape(dims, dtype) -> ShapeOnly:
    return ShapeOnly(dims, dtype.np_dtype)


def unpack(flat, wanted, given, ins, outs, shape_only=(), stand_in=_shape):
    """Flat VJP inputs as the gradient takes them: inputs, outputs, cotangents, with None for what was left out."""
    inputs, outputs, cotangents = [None] * len(wanted), [None] * len(given), [None] * len(given)
    values = iter(flat)
    for i in ins:
        inputs[i] = next(values)
    for i in outs:
        outputs[i] = next(values)
    for side, i, dims, dtype in shape_only:
        (inputs if side == "in" else outputs)[i] = stand_in(dims, dtype)
    for i, there in enumerate(given):
        if there:
            cotangents[i] = next(values)
    return inputs, outputs, cotangents


def _zeros(dims, dtype):
    """A `ShapeOnly` for the third namespace: zeros of that shape."""
    from reflow.ops.convert import constant

    return run("Fill", constant(list(dims), dtypes.int32), constant(0, dtype))


def _output_shapes(f):
    return list(f.attrs["shapes"])


def _grad_tensors(attrs, inputs, outputs, cotangents, wanted):
    """Second order: run the gradient as ordinary ops, under a recorder, and reverse those."""
    from reflow.ops.reverse import Recorder, reverse

    with Recorder(inputs) as recorder:
        results = expand(attrs, inputs)
    pairs = [(r, c) for r, c in zip(results, cotangents, strict=True) if c is not None]
    grads = reverse(recorder.records, [r for r, _ in pairs], [c for _, c in pairs], inputs)
    # a tensor that stands here twice (x * x) gets its whole cotangent at its first place
    first: dict = {}
    return [g if first.setdefault(t._id, i) == i else None for i, (t, g) in enumerate(zip(inputs, grads, strict=True))]


def expand(attrs, inputs):
    """The gradients that a VJP computes, as ordinary ops on tensors, by dispatch."""
    from reflow.ops.xp import tensor as tensor_xp

    forward = attrs["forward"]
    packing = {k: attrs[k] for k in ("wanted", "given", "ins", "outs", "shape_only")}
    primals, results, cotangents = unpack(inputs, **packing, stand_in=_zeros)
    primals = tensor_xp.static_operands(forward, primals)
    grads = forward.grad(tensor_xp, attrs["forward_attrs"], primals, results, cotangents, attrs["wanted"])
    return [g for g, w in zip(grads, attrs["wanted"], strict=True) if w]


def differentiated(op, attrs):
    """The record whose gradient an op is; None if it is not a gradient."""
    return attrs["forward"] if op is VJP else None


def _static_places(attrs, count):
    """A gradient needs as values what its forward op needs as values."""
    forward, own, given = attrs["forward"], attrs["forward_attrs"], len(attrs["wanted"])
    static = forward.static_places(own, given)
    needs = {position: forward.value_needed(own, given, i) for position, i in enumerate(attrs["ins"]) if i in static}
    return {position: (need.op, need.operand) for position, need in needs.items()}


def _of_rows(op, attrs, values, flags):
    """The gradient of an elementwise function of one argument is a product with its derivative."""
    forward = attrs["forward"]
    single = len(forward.definition.inputs) == 1 and not forward.has_lists
    fits = forward.elementwise and single and not attrs.get("shape_only")
    return batching.aligned(op, attrs, values, flags) if fits else None


@own_op(
    "VJP", inputs="*values", outputs="*grads", shape=_output_shapes, grad_tensors=_grad_tensors, static=_static_places,
    batch=_of_rows, attrs=("forward", "forward_attrs", "wanted", "given", "ins", "outs", "shape_only", "shapes"),
)
def VJP(xp, values, forward, forward_attrs, wanted, given, ins, outs, shape_only):
    inputs, outputs, cotangents = unpack(values, wanted, given, ins, outs, shape_only)
    grad = forward.grad or default_gradient(forward)
    grads = grad(xp, forward_attrs, inputs, outputs, cotangents, wanted)
    return [g for g, w in zip(grads, wanted, strict=True) if w]


def default_gradient(forward):
    """`jax.vjp` of the kernel, in TensorFlow's convention: complex cotangents are conjugated on both sides."""

    def gradient(xp, attrs, inputs, outputs, cotangents, wanted):
        import jax
        import jax.numpy as jnp

        from reflow.ops.xp import xla as xla_xp
        from reflow.ops.xp.xla.base import wide_types

        places = [i for i, w in enumerate(wanted) if w]

        def function(*chosen):
            args = list(inputs)
            for i, x in zip(places, chosen, strict=True):
                args[i] = x
            out = forward.call(xla_xp, args, attrs)
            outs = (out,) if forward.single else tuple(out)
            return tuple(o for o in outs if jnp.issubdtype(o.dtype, jnp.inexact))

        with wide_types(), swapped(native=False):
            primals, pull = jax.vjp(function, *[jnp.asarray(inputs[i]) for i in places])
            cts = [c for c, o in zip(cotangents, outputs, strict=True) if o.dtype.kind in "fcV"]
            cts = [
                jnp.zeros_like(p) if c is None else jnp.conj(jnp.asarray(c)) for c, p in zip(cts, primals, strict=True)
            ]
            grads = [None] * len(inputs)
            for i, g in zip(places, pull(tuple(cts)), strict=True):
                grads[i] = jnp.conj(g)
        if xp is not xla_xp:
            import numpy as np

            grads = [None if g is None else np.asarray(g) for g in grads]
        return grads

    return gradient


__all__ = ["VJP", "call_vjp", "differentiated", "expand", "registry"]
