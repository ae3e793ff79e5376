"""`Op`: the record of one op, and the conventions of what it holds.

- *Kernel*: `kernel(xp, *inputs, **attrs)`, written once against the array namespace `xp`; a list argument of the OpDef arrives as one list. It
  returns one value, or a tuple if the OpDef has several outputs or a list output. It may leave out attributes that do not
  change its result.
- *Gradient*: `grad(xp, attrs, inputs, outputs, cotangents, wanted)` on flat inputs and outputs, returning one entry per
  input, read only where `wanted[i]`. Cotangents of unused outputs are `None`. It is written on `xp` alone and never
  looks at `x.shape` directly when a helper (`sum_to_like`, `broadcast_like`, `reshape_like`) says the same.
  `grad_tensors(attrs, inputs, outputs, cotangents, wanted)` is the same on tensors, through dispatch. `NO_GRADIENT` stops the reverse
  pass (TensorFlow's `NotDifferentiable`); no gradient at all means `jax.vjp` of the kernel.
- *Shape and value rules*: `rule(node_facts)` on partial shapes and values (`reflow/ops/shape_rules.py`).
- *Checks*: `check(xp, attrs, *inputs) -> [(ok, message)]` of value errors that XLA would swallow.
- *Trace checks*: see `reflow/ops/trace_checks.py`. *Batching rules*: see `reflow/ops/batching.py`.
- *Touches*: what the kernel reaches outside the process: "files", "network", "processes", "python" (it runs Python code of the
  caller's), or "assets" (it reads one file, whose path is an operand). A graph from a file may not bring such an op
  (`reflow/graph/refusals.py`).
- *Lowering*: `lower(lowering, instruction, values) -> outputs` where an op becomes part of a program in another way than by its kernel.
  `lowering` (`reflow/compile/lowering.py`) has `xp`, the array namespace on tracers; `state`, the program's variables and streams; `view`,
  `check`, `require_values`, `refuse`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from types import FunctionType
from typing import Any, Literal

from reflow.core import dtypes
from reflow.core.types import Array, Attrs
from reflow.ops import batching, opdef
from reflow.ops.naming import PLAIN, Naming
from reflow.ops.protocols import Check, Cotangents, Gradient, Kernel, TensorGradient, Wanted, Xp
from reflow.ops.xp import host as host_xp


def NO_GRADIENT(  # a constant that is also a gradient
    xp: Xp, attrs: Attrs, inputs: Sequence[Array], outputs: Sequence[Array], cotangents: Cotangents, wanted: Wanted
) -> Cotangents:
    """The gradient of an op that is not differentiable: none, for any input."""
    return (None,) * len(inputs)


class NeedsValue(Exception):  # a message to the lowering, not an error of the user's
    """A kernel got a tracer where it needs a value: the lowering then runs this node on the host. `op` is the record whose operand it
    is, None if that is the one that runs; `index` the operand's position among the inputs, if it is known."""

    def __init__(self, op: Op | None, operand: str, index: int | None = None) -> None:
        super().__init__(operand)
        self.op, self.operand, self.index = op, operand, index
        self.instruction: Any = None  # filled in by the lowering, like `op`

    def __str__(self) -> str:
        return f"{'The op' if self.op is None else self.op.name} needs the value of its operand '{self.operand}'."


@dataclass(eq=False, repr=False)
class Op:
    """One op: its OpDef, its kernel, and all that Reflow knows about it.

    Every field is said where the kernel is registered, except those in `registry.FROM_ABOVE`. Names in fields are names of
    the OpDef's inputs and outputs. What follows from the fields is computed once, in `__post_init__`.
    """

    definition: opdef.OpDef
    kernel: Kernel
    _: KW_ONLY

    # --- derivative
    grad: Gradient | None = None
    grad_tensors: TensorGradient | None = None
    #: inputs and outputs that the gradient reads; None: all
    needs: tuple[str, ...] | None = None
    #: those of them of which it reads only the shape
    shape_only: tuple[str, ...] = ()
    #: inputs that never get a gradient
    nondiff: tuple[str, ...] = ()

    # --- what it computes
    shape: Callable
    value: Callable | None = None
    checks: tuple[Check, ...] = ()
    #: its outputs are its inputs
    identity: bool = False
    #: each element of its one output follows from one element of each input; inputs are broadcast, or of one shape
    elementwise: bool = False
    #: how the host runs it for all rows of a batch at once
    batch: Callable | None = None
    #: how `tf.vectorized_map` runs a node once for all rows: (node, inputs, which of them have rows, number of rows) -> (outputs, whether
    #: they have rows)
    rows: Callable | None = None
    #: it computes no numbers: its outputs hold elements of its inputs, or what it was given
    moves: bool = False
    #: the sum of its inputs
    addition: bool = False
    #: whether, with these attributes, it sums over the first axis of its operand
    sums_rows: Callable | None = None
    #: a product or convolution: worth taking out of a loop
    heavy: bool = False
    #: its result follows from the shapes of its inputs
    from_shapes: bool = False
    #: the size of its result depends on data
    sized_by_data: bool = False

    # --- state. A stateful op says at least one of the first four, or that it is `pure`
    #: resources that it looks at
    reads: tuple[str, ...] = ()
    #: resources that it changes
    writes: tuple[str, ...] = ()
    #: it does more than compute its results (prints, fails, opens a file, makes a resource): it runs even if nobody uses them, in order
    effect: bool = False
    #: it runs code of the user's, of which nobody knows what it touches
    opaque: bool = False
    #: none of these, whatever the OpDef says
    pure: bool = False

    # --- graphs and lists among its attributes and inputs
    #: what it does with the graphs among its attributes; "other" runs them in a way of its own, always on the host
    flow: Literal["", "call", "branch", "loop", "map", "other"] = ""
    #: what it does with a tensor list: reads or writes an element, makes it longer or shorter, or something else
    list_use: Literal["", "get", "set", "push", "pop", "whole"] = ""
    #: `ListFacts` of its outputs that are tensor lists; None: those of its first list
    list_facts: Callable | None = None
    #: its kernel takes or makes tensor lists too, on the host and in programs
    variants: bool = False

    # --- while a graph is built
    #: what a node's inputs look like, "[n,r] [n] [r] 0"; others are refused before anything else is asked (`trace_patterns.py`)
    fits: str = ""
    #: what is refused before the shape rule is asked
    trace_check: Callable | None = None
    #: what the shape rule objects to, in TensorFlow's words
    trace_words: Callable | None = None
    #: how TensorFlow's public functions call its nodes
    naming: Naming = PLAIN

    # --- in programs
    #: it runs on the host only
    host: bool = False
    #: inputs that must be values when XLA sees them; or a function (attrs, count) -> {position: (record, operand)} of these
    static: tuple[str, ...] | Callable = ()
    #: how it becomes part of a program, where that is not by its kernel
    lower: Callable | None = None
    #: what `jit_compile=True` does with an op that no program can hold: it is refused, runs on the host between two programs, is left
    #: out, or its input is taken for it
    jit: Literal["", "between", "omit", "pass"] = ""
    #: in TensorFlow's XLA the size of its result may change from one iteration of a loop to the next
    bounded: bool = False

    # --- on accelerators, in eager code
    #: how it runs there, where that is not as a program of its kernel: (op, inputs, attrs, place) -> values, or None if it is
    accelerated: Callable | None = None
    #: made on the host if its inputs are there: as a program it would be compiled for each new shape
    made_on_host: bool = False
    #: it looks at the handle of a variable, not at its value
    handle_only: bool = False
    #: it keeps its inputs as they are, in whatever memory: a host step does not fetch them from an accelerator
    stores: bool = False

    # --- elsewhere
    #: it waits, or works outside Python's lock: worth a thread
    overlaps: bool = False
    #: it finds what it works on by a name, in the session that runs it
    by_session: bool = False
    #: given a vector where its first input is a scalar, it gives what `Dataset.batch` makes of the results for each: parsing
    joins_rows: bool = False
    #: what it reaches outside the process; or a function of the node's attributes that says so
    touches: tuple[str, ...] | Callable = ()
    #: an op of our own in TensorFlow's ops, for files: (attributes, inputs) -> outputs
    expand: Callable | None = None

    def __post_init__(self) -> None:
        definition = self.definition
        inputs, outputs = definition.inputs, definition.outputs
        names = [a.name for a in inputs]
        self.name = definition.name
        self.static_indices = () if callable(self.static) else tuple(names.index(s) for s in self.static)
        self.read_indices = frozenset(names.index(s) for s in self.reads)
        self.nondiff_indices = frozenset(names.index(s) for s in self.nondiff)
        self.has_lists = any(a.is_list for a in inputs)
        self.single = len(outputs) == 1 and not outputs[0].is_list
        self.differentiable = self.grad is not NO_GRADIENT
        self.same = self._same_type_pairs()
        self.allowed = self._allowed_enums()
        self.others = self._other_enums()
        self.plain = not (self.has_lists or self.checks or self.host)
        self.kernel_attrs = self._kernel_attrs()
        self.fast = functools.partial(self.kernel, host_xp) if self.plain and self.single else None
        self._find_quantized()
        if self.elementwise and self.batch is None:
            self.batch = batching.aligned
        if self.sized_by_data:
            self.jit = "between"
        self._find_state()

    def _find_state(self) -> None:
        """What follows from what the record says about state."""
        #: its one output is a resource that other nodes may share by a name; a session keeps it from one run to the next
        self.makes_resource = self.single and "shared_name" in self.definition.attrs and _holds_resource(self.definition.outputs[0])
        said = bool(self.reads or self.writes or self.effect or self.opaque)
        self.stateful = said or self.definition.stateful and not self.pure
        #: a stateful random op: see `random_state.py`
        self.hidden_counter = self.stateful and "seed2" in self.definition.attrs and not self.makes_resource
        if self.stateful and not (said or self.hidden_counter or self.flow):
            raise TypeError(
                f"{self.name} is stateful. Its record must say what it `reads` or `writes`, `effect=True` or `opaque=True`; or "
                "`pure=True` if the OpDef exaggerates."
            )
        #: it only looks at resources
        self.only_reads = bool(self.reads) and not (self.writes or self.effect or self.opaque)
        #: its kernel may run the user's code, which has an error state and a context of its own: it has functions, state, or handles to them
        self.calls_back = self.host and (said or bool(self.flow) or self._has_handles())
        #: it runs even if nobody uses its results
        self.must_run = self.stateful and not self.only_reads

    def _has_handles(self) -> bool:
        """Whether functions, datasets or resources are among its inputs and attributes; an op of our own may have any."""
        definition = self.definition
        return (
            definition.name.startswith(opdef.OWN_PREFIX)
            or any(arg.type in ("DT_VARIANT", "DT_RESOURCE") for arg in definition.inputs)
            or any("func" in attr.type for attr in definition.attrs.values())
        )

    def _same_type_pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of input positions that must agree in dtype (ops without list arguments)."""
        if self.has_lists:
            return ()
        first: dict[str, int] = {}
        pairs = []
        for i, arg in enumerate(self.definition.inputs):
            kind = arg.type_attr or arg.type
            if kind is not None:
                if kind in first:
                    pairs.append((first[kind], i))
                else:
                    first[kind] = i
        return tuple(pairs)

    def _allowed_enums(self) -> frozenset[int] | None:
        """The dtypes the first input may have, as enums, or None for any."""
        if not self.definition.inputs or self.has_lists:
            return None
        arg = self.definition.inputs[0]
        if arg.type_attr is None:
            return frozenset([dtypes.as_dtype(arg.type).enum])
        allowed = self.definition.attrs[arg.type_attr].allowed
        return None if allowed is None else frozenset(dtypes.as_dtype(a).enum for a in allowed)

    def _other_enums(self) -> tuple[tuple[int, frozenset[int]], ...]:
        """Places of further inputs, with the dtypes that each may have, as enums: counted from the end behind a list.

        Inputs that must agree with one before them are in `same`; those of a list are not looked at.
        """
        found, met, lists = [], set(), 0
        inputs = self.definition.inputs
        for i, arg in enumerate(inputs):
            kind, lists = arg.type_attr or arg.type, lists + arg.is_list
            if arg.is_list or kind is None or kind in met or lists > 1 or arg.is_ref:
                met.add(kind)
                continue
            met.add(kind)
            allowed = [arg.type] if arg.type_attr is None else self.definition.attrs[arg.type_attr].allowed
            if allowed is not None and (i or self.has_lists):
                found.append((i - len(inputs) if lists else i, frozenset(dtypes.as_dtype(a).enum for a in allowed)))
        return tuple(found)

    def _find_quantized(self) -> None:
        """Where to see that results are quantized integers. Their arrays are those of plain ones: the node's types tell them apart."""
        #: the place among the flat inputs of one whose dtype is that of results, if that may be a quantized one
        self.carrier: int | None = None
        #: the attributes that are dtypes of results and of no input, or of a list of inputs, if these may be quantized ones; and whether they
        #: are by default
        self.made: dict[str, bool] = {}
        #: the only one, if each call gives it
        self.made_by: str | None = None
        for arg in self.definition.outputs:
            attr = self.definition.attrs.get(arg.type_attr or arg.type_list_attr or "")
            if attr is not None and (attr.allowed is None or not _QUANTIZED.isdisjoint(attr.allowed)):
                place = self._place_of(attr)
                if place is None and attr.name not in self.definition.inferred_attrs and not self.name.startswith(opdef.OWN_PREFIX):
                    self.made[attr.name] = attr.default in _QUANTIZED
                elif self.carrier is None:
                    self.carrier = place
                if place is not None and attr.type == "list(type)":  # the dtypes of other inputs may be quantized ones too
                    self.made[attr.name] = False
        only = self.definition.attrs[next(iter(self.made))] if len(self.made) == 1 else None
        if only is not None and only.type == "type" and only.default is opdef.MISSING:
            self.made_by, self.made = only.name, {}
        plain = None if self.carrier is None else _PLAIN_ENUMS
        #: dtypes of the first input with which a result has its array's dtype; None: with all
        self.fast_allowed = plain if self.allowed is None else self.allowed if plain is None else self.allowed & plain

    def _place_of(self, attr: opdef.Attr) -> int | None:
        """The place among the flat inputs of one that has the dtype of an attribute; counted from the end behind a list."""
        inputs = self.definition.inputs
        for i, arg in enumerate(inputs):
            if attr.name not in (arg.type_attr, arg.type_list_attr) or arg.is_list and not self._is_filled(arg):
                continue
            if not any(a.is_list for a in inputs[:i]):
                return i
            if not any(a.is_list for a in inputs[i + 1 :]):
                return i - len(inputs)
        return None

    def _is_filled(self, arg: opdef.Arg) -> bool:
        """Whether a list has at least one tensor."""
        return bool(self.definition.attrs[arg.number_attr or arg.type_list_attr or ""].minimum)

    def _kernel_attrs(self) -> frozenset[str] | None:
        """The attributes the kernel takes, after checking its parameters against the OpDef; None if it takes all."""
        names, takes_positions, takes_names = _parameters(self.kernel)
        if takes_names:
            return None
        wanted = [a.name for a in self.definition.inputs]
        if not takes_positions:
            if names[: len(wanted)] != wanted:
                raise TypeError(f"Kernel of {self.name} takes {names}, its OpDef has the inputs {wanted}.")
            names = names[len(wanted) :]
        unknown = [n for n in names if n not in self.definition.attrs]
        if unknown:
            raise TypeError(f"Kernel of {self.name} takes the attributes {unknown}, which its OpDef does not have.")
        return frozenset(names)

    def static_places(self, attrs: Attrs, count: int) -> tuple:
        """Positions, among `count` flat inputs, of those that must be values when XLA sees them."""
        if callable(self.static):
            return tuple(self.static(attrs, count))
        if not self.has_lists or not self.static:
            return self.static_indices
        return tuple(places(self.definition.inputs, count, attrs, self.static))

    def value_needed(self, attrs: Attrs, count: int, position: int) -> NeedsValue:
        """What to raise if a static operand is no value."""
        if callable(self.static):
            record, operand = self.static(attrs, count)[position]
            return NeedsValue(record, operand, position)
        inputs = self.definition.inputs
        operand = next(a.name for a in inputs if position in places(inputs, count, attrs, (a.name,)))
        return NeedsValue(self, operand, position)

    def group(self, flat: Sequence[Any], attrs: Attrs) -> list:
        """Flat inputs as the kernel takes them: list arguments become lists."""
        if not self.has_lists:
            return list(flat)
        out, at = [], 0
        for arg in self.definition.inputs:
            if not arg.is_list:
                out.append(flat[at])
                at += 1
                continue
            count = attrs.get(arg.number_attr or arg.type_list_attr or "")
            if isinstance(count, (list, tuple)):
                count = len(count)
            if count is None:  # the only list: it takes what the single arguments leave
                count = len(flat) - sum(not a.is_list for a in self.definition.inputs)
            out.append(list(flat[at : at + count]))
            at += count
        return out

    def call(self, xp: Xp, flat: Sequence[Any], attrs: Attrs) -> Any:
        """Run the kernel on flat values."""
        return self.kernel(xp, *(self.group(flat, attrs) if self.has_lists else flat), **self.bind(attrs))

    def touched(self, attrs: dict) -> tuple[str, ...]:
        """What a node with these attributes reaches outside the process."""
        return self.touches(attrs) if callable(self.touches) else self.touches

    def bind(self, attrs: dict) -> dict:
        """The part of a node's attributes that the kernel takes."""
        if self.kernel_attrs is None:
            return attrs
        return {k: v for k, v in attrs.items() if k in self.kernel_attrs}

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


_QUANTIZED = frozenset(f"DT_{dtype.name.upper()}" for dtype in dtypes.QUANTIZED.values())
_PLAIN_ENUMS = frozenset(dtype.enum for dtype in dtypes.ALL if dtype.kind != "q")


def _holds_resource(output: opdef.Arg) -> bool:
    """Whether an output is a handle; those of TensorFlow's oldest resources are references to strings."""
    return output.type == "DT_RESOURCE" or output.is_ref


def _parameters(kernel: Callable) -> tuple[list[str], bool, bool]:
    """The names of a kernel's parameters after `xp`; whether it takes more by position; whether it takes more by name.

    `inspect.signature` takes 60 µs, and there are 800 kernels: those of plain functions are read from their code.
    """
    if isinstance(kernel, FunctionType) and not vars(kernel):
        code = kernel.__code__
        names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        return list(names), bool(code.co_flags & inspect.CO_VARARGS), bool(code.co_flags & inspect.CO_VARKEYWORDS)
    parameters = list(inspect.signature(kernel).parameters.values())[1:]
    kinds = {p.kind for p in parameters}
    more = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return [p.name for p in parameters if p.kind not in more], more[0] in kinds, more[1] in kinds


def places(args: Sequence[opdef.Arg], count: int, attrs: Attrs, names: Sequence[str]) -> list:
    """Flat positions of the named arguments of an op that has `count` tensors on this side."""
    found: list[int] = []
    at = 0
    singles = sum(not a.is_list for a in args)
    for arg in args:
        if arg.is_list:
            listed = attrs.get(arg.number_attr or arg.type_list_attr or "")
            size = (
                len(listed) if isinstance(listed, (list, tuple)) else listed if listed is not None else count - singles
            )
        else:
            size = 1
        if arg.name in names:
            found.extend(range(at, at + size))
        at += size
    return found
