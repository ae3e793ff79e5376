"""`Reflow>VJP`: the gradient of one op, itself an op.

The reverse pass dispatches one VJP per op it walks over: in eager code the record's gradient runs on host arrays, in
a graph it is one node whose kernel sees concrete shapes. Its inputs are the tensors the gradient reads: some of the
forward op's inputs, some of its outputs (the record's `needs`), then the cotangents that are not zero. To
differentiate or to export a VJP, `expand` runs the same gradient on *tensors*, so that it becomes ordinary ops.
"""

from __future__ import annotations

from reflow.ops import registry
from reflow.ops.door import dispatch
from reflow.ops.registry import own_op


def needed(op, inputs, outputs):
    """Positions of the inputs and outputs that the op's gradient reads."""
    if op.needs is None:
        return range(len(inputs)), range(len(outputs))
    names_in = [a.name for a in op.definition.inputs]
    names_out = [a.name for a in op.definition.outputs]
    return ([i for i, n in enumerate(names_in) if n in op.needs], [i for i, n in enumerate(names_out) if n in op.needs])


def call_vjp(op, attrs, inputs, outputs, cotangents, wanted):
    """One cotangent (a tensor) per wanted input of a forward op, `None` elsewhere."""
    ins, outs = needed(op, inputs, outputs)
    given = tuple(c is not None for c in cotangents)
    flat = [inputs[i] for i in ins] + [outputs[i] for i in outs] + [c for c in cotangents if c is not None]
    shapes_of = [i for i, w in enumerate(wanted) if w]
    grads = dispatch(VJP, flat, {
        "forward": op, "forward_attrs": attrs, "wanted": tuple(wanted), "given": given, "ins": tuple(ins), "outs": tuple(outs),
        "Tout": [inputs[i]._dtype for i in shapes_of], "shapes": [inputs[i].shape._dims for i in shapes_of],
    })
    result = [None] * len(inputs)
    for i, grad in zip(shapes_of, grads, strict=True):
        result[i] = grad
    return result


def unpack(flat, wanted, given, ins, outs):
    """Flat VJP inputs as the gradient takes them: inputs, outputs, cotangents, with None for what was left out."""
    inputs, outputs, cotangents = [None] * len(wanted), [None] * len(given), [None] * len(given)
    values = iter(flat)
    for i in ins:
        inputs[i] = next(values)
    for i in outs:
        outputs[i] = next(values)
    for i, there in enumerate(given):
        if there:
            cotangents[i] = next(values)
    return inputs, outputs, cotangents


def _shape(f):
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
    """The gradients that a VJP computes, as ordinary ops on tensors, through the door."""
    from reflow.ops import tensor_numpy

    forward = attrs["forward"]
    primals, results, cotangents = unpack(inputs, *(attrs[k] for k in ("wanted", "given", "ins", "outs")))
    primals = tensor_numpy.static_operands(forward, primals)
    grads = forward.grad(tensor_numpy, attrs["forward_attrs"], primals, results, cotangents, attrs["wanted"])
    return [g for g, w in zip(grads, attrs["wanted"], strict=True) if w]


@own_op("VJP", inputs="*values", outputs="*grads", shape=_shape, grad_tensors=_grad_tensors,
        attrs=("forward", "forward_attrs", "wanted", "given", "ins", "outs", "shapes"))
def VJP(xp, values, forward, forward_attrs, wanted, given, ins, outs):  # noqa: N802
    inputs, outputs, cotangents = unpack(values, wanted, given, ins, outs)
    grad = forward.grad or default_gradient(forward)
    grads = grad(xp, forward_attrs, inputs, outputs, cotangents, wanted)
    return [g for g, w in zip(grads, wanted, strict=True) if w]


def default_gradient(forward):
    """`jax.vjp` of the kernel, in TensorFlow's convention: complex cotangents are conjugated on both sides."""

    def gradient(xp, attrs, inputs, outputs, cotangents, wanted):
        import jax
        import jax.numpy as jnp

        from reflow.ops import xla_numpy

        places = [i for i, w in enumerate(wanted) if w]

        def function(*chosen):
            args = list(inputs)
            for i, x in zip(places, chosen, strict=True):
                args[i] = x
            out = forward.call(xla_numpy, args, attrs)
            outs = (out,) if forward.single else tuple(out)
            return tuple(o for o in outs if jnp.issubdtype(o.dtype, jnp.inexact))

        primals, pull = jax.vjp(function, *[jnp.asarray(inputs[i]) for i in places])
        cts = [c for c, o in zip(cotangents, outputs, strict=True) if o.dtype.kind in "fcV"]
        cts = [jnp.zeros_like(p) if c is None else jnp.conj(jnp.asarray(c)) for c, p in zip(cts, primals, strict=True)]
        grads = [None] * len(inputs)
        for i, g in zip(places, pull(tuple(cts)), strict=True):
            grads[i] = jnp.conj(g)
        if xp is not xla_numpy:
            import numpy as np

            grads = [None if g is None else np.asarray(g) for g in grads]
        return grads

    return gradient


__all__ = ["VJP", "call_vjp", "expand", "registry"]
