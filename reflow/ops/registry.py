"""The registry: one record per op.

A record (`Op`) joins TensorFlow's OpDef with a *kernel* written once against the facade `xp`, a *gradient*, a *shape
rule*, and a few facts. Everything that knows about ops (the door, the tape, the interpreter, the lowering,
`tf.raw_ops`, GraphDef import and export) walks this table; adding an op is adding one record.

    @op("Maximum", shape=rules.broadcast, grad=_maximum_grad)
    def maximum(xp, x, y):
        return xp.maximum(x, y)

Conventions
- Kernel: `kernel(xp, *inputs, **attrs)`; a list argument of the OpDef arrives as one list. It returns one value, or a
  tuple if the OpDef has several outputs or a list output. It may leave out attributes that do not change its result.
- Gradient: `grad(xp, attrs, inputs, outputs, cotangents, wanted)` on flat inputs and outputs, returning one entry per
  input, read only where `wanted[i]`. Cotangents of unused outputs are `None`. It is written on the facade alone and never
  looks at `x.shape` directly when a helper (`sum_to_like`, `broadcast_like`, `reshape_like`) says the same.
- `grad_tensors(attrs, inputs, outputs, cotangents, wanted)` is the same on tensors, through the door.
- `NO_GRADIENT` stops the reverse pass (TensorFlow's `NotDifferentiable`); no gradient at all means `jax.vjp` of the kernel.
- Shape rule: `rule(node_facts)` on partial shapes (see `reflow/ops/shape_rules.py`).
- `static`: names of inputs that must be values when XLA sees them.
- `checks`: functions `(xp, attrs, *inputs) -> [(ok, message)]` of value errors that XLA would swallow.
- `touches`: what the kernel reaches outside the process: "files", "network", "processes", "python" (it runs Python code
  of the caller's), or "assets" (it reads one file, whose path is an operand). A tuple, or a function of the node's
  attributes that returns one. A graph from a file may not bring such an op (`reflow/graph/refusals.py`).
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

from reflow.core import dtypes
from reflow.ops import opdef
from reflow.ops.opdef import MISSING
from reflow.ops.xp import host as host_xp

REGISTRY: dict[str, Op] = {}
MAX_OUTPUTS = 2**20  # of one node: a number in a file or an argument must not cost terabytes


def NO_GRADIENT(xp, attrs, inputs, outputs, cotangents, wanted):  # a constant that is also a gradient
    """The gradient of an op that is not differentiable: none, for any input."""
    return (None,) * len(inputs)


class NeedsValue(Exception):  # a message to the lowering, not an error of the user's
    """A kernel got a tracer where it needs a value: the lowering then runs this node on the host."""

    def __init__(self, op, operand: str, index: int | None = None):
        name = getattr(op, "name", op)
        super().__init__(f"{name} needs the value of its operand '{operand}'.")
        self.op, self.operand, self.index = name, operand, index
        self.instruction = None  # filled in by the lowering


class Op:
    """One op: its OpDef, and what Reflow knows about it."""

    def __init__(
        self,
        definition,
        kernel,
        *,
        grad=None,
        grad_tensors=None,
        shape=None,
        value=None,
        static=(),
        checks=(),
        host=False,
        xla_only=False,
        stateful=None,
        nondiff=(),
        needs=None,
        likes=(),
        touches=(),
        stores=False,
    ):
        self.name = definition.name
        self.definition = definition
        self.kernel = kernel
        self.grad = grad
        self.grad_tensors = grad_tensors
        self.shape = shape
        self.value = value
        self.static = static
        self.checks = checks
        self.host = host  # runs on the host only, never inside a program
        self.xla_only = xla_only  # the kernel has no host form
        self.stateful = definition.stateful if stateful is None else stateful
        self.needs = needs  # names of the inputs and outputs that the gradient reads; None: all
        self.likes = likes  # those of them of which it reads only the shape
        self.touches = touches  # what it reaches outside the process; or a function of its attributes that says so
        self.stores = stores  # keeps its inputs as they are, wherever they lie: a host step does not fetch them from a GPU
        inputs, outputs = definition.inputs, definition.outputs
        names = [a.name for a in inputs]
        self.static_indices = tuple(names.index(s) for s in static)
        self.nondiff = frozenset(names.index(s) for s in nondiff)
        self.has_lists = any(a.is_list for a in inputs)
        self.single = len(outputs) == 1 and not outputs[0].is_list
        self.differentiable = grad is not NO_GRADIENT
        self.same = self._same_type_pairs()
        self.allowed = self._allowed_enums()
        self.plain = not (self.has_lists or checks or host or xla_only)
        self.hidden_counter = self.stateful and "seed2" in definition.attrs  # a stateful random op: see random_state.py
        self.kernel_attrs = self._kernel_attrs()
        self.fast = functools.partial(kernel, host_xp) if self.plain and self.single else None

    def _same_type_pairs(self):
        """Pairs of input positions that must agree in dtype (ops without list arguments)."""
        if self.has_lists:
            return ()
        first: dict[str, int] = {}
        pairs = []
        for i, arg in enumerate(self.definition.inputs):
            if arg.type_attr is not None:
                if arg.type_attr in first:
                    pairs.append((first[arg.type_attr], i))
                else:
                    first[arg.type_attr] = i
        return tuple(pairs)

    def _allowed_enums(self):
        """The dtypes the first input may have, as enums, or None for any."""
        if not self.definition.inputs or self.has_lists:
            return None
        arg = self.definition.inputs[0]
        if arg.type is not None:
            return frozenset([dtypes.as_dtype(arg.type).enum])
        allowed = self.definition.attrs[arg.type_attr].allowed
        return None if allowed is None else frozenset(dtypes.as_dtype(a).enum for a in allowed)

    def _kernel_attrs(self):
        """The attributes the kernel takes, after checking its parameters against the OpDef; None if it takes all."""
        params = list(inspect.signature(self.kernel).parameters.values())[1:]
        if any(p.kind is p.VAR_KEYWORD for p in params):
            return None
        names = [p.name for p in params if p.kind is not p.VAR_POSITIONAL]
        wanted = [a.name for a in self.definition.inputs]
        if not any(p.kind is p.VAR_POSITIONAL for p in params):
            if names[: len(wanted)] != wanted:
                raise TypeError(f"Kernel of {self.name} takes {names}, its OpDef has the inputs {wanted}.")
            names = names[len(wanted) :]
        unknown = [n for n in names if n not in self.definition.attrs]
        if unknown:
            raise TypeError(f"Kernel of {self.name} takes the attributes {unknown}, which its OpDef does not have.")
        return frozenset(names)

    def touched(self, attrs: dict) -> tuple[str, ...]:
        """What a node with these attributes reaches outside the process."""
        return self.touches(attrs) if callable(self.touches) else self.touches

    def static_places(self, attrs, count: int) -> tuple:
        """Positions, among `count` flat inputs, of those that must be values when XLA sees them."""
        if not self.has_lists or not self.static:
            return self.static_indices
        return tuple(places(self.definition.inputs, count, attrs, self.static))

    def operand_name(self, attrs, count: int, position: int) -> str:
        """The name of the argument that a flat input belongs to."""
        return next(
            a.name
            for a in self.definition.inputs
            if position in places(self.definition.inputs, count, attrs, (a.name,))
        )

    def group(self, flat, attrs) -> list:
        """Flat inputs as the kernel takes them: list arguments become lists."""
        if not self.has_lists:
            return list(flat)
        out, at = [], 0
        for arg in self.definition.inputs:
            if not arg.is_list:
                out.append(flat[at])
                at += 1
                continue
            count = attrs.get(arg.number_attr or arg.type_list_attr)
            if isinstance(count, (list, tuple)):
                count = len(count)
            if count is None:  # the only list: it takes what the single arguments leave
                count = len(flat) - sum(not a.is_list for a in self.definition.inputs)
            out.append(list(flat[at : at + count]))
            at += count
        return out

    def call(self, xp, flat, attrs):
        """Run the kernel on flat values."""
        return self.kernel(xp, *(self.group(flat, attrs) if self.has_lists else flat), **self.bind(attrs))

    def bind(self, attrs: dict) -> dict:
        """The part of a node's attributes that the kernel takes."""
        if self.kernel_attrs is None:
            return attrs
        return {k: v for k, v in attrs.items() if k in self.kernel_attrs}

    def __repr__(self):
        return f"<Op {self.name}>"


def places(args, count, attrs, names) -> list:
    """Flat positions of the named arguments of an op that has `count` tensors on this side."""
    found: list[int] = []
    at = 0
    singles = sum(not a.is_list for a in args)
    for arg in args:
        if arg.is_list:
            listed = attrs.get(arg.number_attr or arg.type_list_attr)
            size = (
                len(listed) if isinstance(listed, (list, tuple)) else listed if listed is not None else count - singles
            )
        else:
            size = 1
        if arg.name in names:
            found.extend(range(at, at + size))
        at += size
    return found


def op(name: str, **facts):
    """Register a kernel under TensorFlow's op name, with its gradient, shape rule and facts."""

    def register(kernel):
        if name in REGISTRY:
            raise ValueError(f"Op {name!r} is registered twice.")
        REGISTRY[name] = Op(opdef.lookup(name), kernel, **facts)
        return REGISTRY[name]

    return register


def own_op(name: str, inputs: str = "", outputs: str = "output", attrs: tuple = (), stateful: bool = False, **facts):
    """Register an op of our own, `Reflow>Name`. Inputs and outputs are space-separated names; `*x` is a list.

    Types are not declared: an output's dtype comes from the attribute `Tout` (a list) of the node.
    """

    def arg(spelled, list_attr):
        return (
            opdef.Arg(spelled.lstrip("*"), type_list_attr=list_attr)
            if spelled[0] == "*"
            else opdef.Arg(spelled, type_attr=f"T_{spelled}")
        )

    ins = tuple(arg(s, f"Tin_{s[1:]}") for s in inputs.split())
    outs = tuple(arg(s, "Tout") for s in outputs.split())
    types = {
        a: opdef.Attr(a, "list(type)" if a.startswith(("Tin", "Tout")) else "type")
        for x in ins + outs
        for a in x.attr_names
    }
    types.update({a: opdef.Attr(a, "any") for a in attrs})
    opdef.register_own(opdef.OpDef("Reflow>" + name, ins, outs, types, stateful))
    return op("Reflow>" + name, **facts)


def get(name: str) -> Op:
    """The record called `name`; a clear error if Reflow does not have it yet."""
    found = REGISTRY.get(name)
    if found is None:
        opdef.lookup(name)  # raises with suggestions if TensorFlow has no such op
        from reflow.core.errors import NotFoundError

        raise NotFoundError(None, None, f"Op type not registered '{name}': Reflow has no kernel for it yet.")
    return found


def full_attrs(record: Op, input_dtypes, attrs: dict) -> dict[str, Any]:
    """All attributes of a node: those given, those inferred from the inputs' dtypes, the OpDef's defaults."""
    full = dict(attrs)
    flat = list(input_dtypes)
    at = 0
    for arg in record.definition.inputs:
        if arg.type_list_attr:
            count = (
                len(full[arg.type_list_attr])
                if arg.type_list_attr in full
                else (len(flat) - at - _singles_after(record, arg))
            )
            full[arg.type_list_attr] = flat[at : at + count]
        elif arg.number_attr:
            count = full.get(arg.number_attr)  # type: ignore[assignment]
            if count is None:
                count = full[arg.number_attr] = len(flat) - at - _singles_after(record, arg)
            if arg.type_attr and count:
                _infer(record, full, arg, flat[at])
        else:
            count = 1
            if arg.type_attr:
                _infer(record, full, arg, flat[at])
        at += count
    for name, attr in record.definition.attrs.items():
        if name not in full and attr.default is not MISSING:
            full[name] = decode_default(attr)
    return full


def _singles_after(record: Op, arg) -> int:
    inputs = record.definition.inputs
    return len(inputs) - 1 - inputs.index(arg)


def _infer(record: Op, full: dict, arg, dtype):
    known = full.get(arg.type_attr)
    if known is not None and known is not dtype and not isinstance(known, str):
        raise TypeError(
            f"Input '{arg.name}' of '{record.name}' Op has type {dtype.name} that does not match type {known.name} of "
            f"argument '{_first_with(record, arg.type_attr)}'."
        )
    full[arg.type_attr] = dtype


def _first_with(record: Op, type_attr: str) -> str:
    return next((a.name for a in record.definition.inputs if a.type_attr == type_attr), type_attr)


def decode_default(attr):
    """An OpDef's default as node attributes hold it: DTypes, plain shapes, Python values."""
    value = attr.default
    if attr.type == "type":
        return dtypes.as_dtype(value)
    if attr.type == "list(type)":
        return [dtypes.as_dtype(v) for v in value]
    return value


def output_dtypes(record: Op, full: dict) -> list:
    """The dtypes of a node's outputs, from its full attributes."""
    out: list = []
    for arg in record.definition.outputs:
        if arg.type_list_attr:
            out.extend(full[arg.type_list_attr])
        elif arg.number_attr:
            dtype = dtypes.as_dtype(arg.type) if arg.type else full[arg.type_attr]
            count = full[arg.number_attr]
            if count > MAX_OUTPUTS:
                raise ValueError(f"'{record.name}' would have {count} outputs; at most {MAX_OUTPUTS} are allowed.")
            out.extend([dtype] * count)
        else:
            out.append(dtypes.as_dtype(arg.type) if arg.type else full[arg.type_attr])
    return out
