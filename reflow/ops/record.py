"""`Op`: the record of one op, and the conventions for its parts.

- *Kernel*: `kernel(xp, *inputs, **attrs)`, written once against the array namespace `xp`; a list argument of the OpDef
  arrives as one list. It returns one value, or a tuple if the OpDef has several outputs or a list output. It may omit
  attributes that do not change its result.
- *Gradient*: `grad(xp, attrs, inputs, outputs, cotangents, wanted)` on flat inputs and outputs. It returns one entry
  per input, which is read only where `wanted[i]`. Cotangents of unused outputs are `None`. It uses only `xp`, and never
  `x.shape` where a helper (`sum_to_like`, `broadcast_like`, `reshape_like`) does the same. `grad_tensors(attrs, inputs,
  outputs, cotangents, wanted)` is the same on tensors, through dispatch. `NO_GRADIENT` stops the reverse pass
  (TensorFlow's `NotDifferentiable`). Without any gradient, `jax.vjp` of the kernel is used.
- *Shape and value rules*: `rule(node_facts)` on partial shapes and values (`reflow/ops/shape_rules.py`).
- *Checks*: `check(xp, attrs, *inputs) -> [(ok, message)]` for value errors that XLA would ignore.
- *Trace checks*: see `reflow/ops/trace_checks.py`. *Batching rules*: see `reflow/ops/batching.py`.
- *Touches*: what the kernel accesses outside the process: "files", "network", "processes", "python" (it runs the
  caller's Python code), or "assets" (it reads one file, whose path is an operand). A graph from a file may not contain
  such an op (`reflow/graph/refusals.py`).
- *Lowering*: `lower(lowering, instruction, values) -> outputs`, for an op that is not lowered through its kernel.
  `lowering` (`reflow/compile/lowering.py`) has `xp`, the array namespace on tracers; `state`, the program's variables
  and streams; `view`, `check`, `require_values`, `refusal`.
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


def NO_GRADIENT(  # a constant that is also a gradient function
    xp: Xp, attrs: Attrs, inputs: Sequence[Array], outputs: Sequence[Array], cotangents: Cotangents, wanted: Wanted
) -> Cotangents:
    """The gradient of an op that is not differentiable: none, for any input."""
    return (None,) * len(inputs)


class NeedsValue(Exception):  # a signal to the lowering, not a user error
    """A kernel got a tracer where it needs a value: the lowering then runs this node on the host.

    `op` is the record of the operand, None if it is the running one; `index` is the operand's position among the
    inputs, if known.
    """

    def __init__(self, op: Op | None, operand: str, index: int | None = None) -> None:
        super().__init__(operand)
        self.op, self.operand, self.index = op, operand, index
        self.instruction: Any = None  # set by the lowering, like `op`

    def __str__(self) -> str:
        return f"{'The op' if self.op is None else self.op.name} needs the value of its operand '{self.operand}'."


@dataclass(eq=False, repr=False)
class Op:
    """One op: its OpDef, its kernel, and everything else that Reflow knows about it.

    All fields are set where the kernel is registered, except those in `registry.FROM_ABOVE`. Names in fields are names
    of the OpDef's inputs and outputs. Derived facts are computed once, in `__post_init__`.
    """

    definition: opdef.OpDef
    kernel: Kernel
    _: KW_ONLY

    # --- derivative
    grad: Gradient | None = None
    grad_tensors: TensorGradient | None = None
    #: `grad_check(attrs, shapes of inputs, cotangents)` raises NotImplementedError where there is no gradient
    grad_check: Callable[[dict, list, Any], None] | None = None
    #: inputs and outputs that the gradient reads; None: all
    needs: tuple[str, ...] | None = None
    #: those of `needs` of which the gradient reads only the shape
    shape_only: tuple[str, ...] = ()
    #: inputs that never get a gradient
    nondiff: tuple[str, ...] = ()

    # --- kind of computation
    shape: Callable
    value: Callable | None = None
    checks: tuple[Check, ...] = ()
    #: its outputs are its inputs
    identity: bool = False
    #: each element of its one output depends on one element of each input; inputs are broadcast, or have equal shapes
    elementwise: bool = False
    #: how the host runs it for all rows of a batch at once
    batch: Callable | None = None
    #: how `tf.vectorized_map` runs a node once for all rows: (node, inputs, which of them have rows, number of rows) ->
    #: (outputs, whether they have rows)
    rows: Callable | None = None
    #: it does no arithmetic: its outputs hold elements of its inputs, or given values
    moves: bool = False
    #: the sum of its inputs
    addition: bool = False
    #: whether, with these attributes, it sums over the first axis of its operand
    sums_rows: Callable | None = None
    #: a product or convolution: worth moving out of a loop
    heavy: bool = False
    #: its result depends only on the shapes of its inputs
    from_shapes: bool = False
    #: the size of its result depends on data
    sized_by_data: bool = False

    # --- state. A stateful op declares at least one of the first four, or that it is `pure`
    #: resources that it reads
    reads: tuple[str, ...] = ()
    #: resources that it writes
    writes: tuple[str, ...] = ()
    #: it has an effect beyond its results (prints, fails, opens a file, creates a resource): it runs in order, even if
    #: they are unused
    effect: bool = False
    #: it runs user code, which may access anything
    opaque: bool = False
    #: none of these, even if the OpDef is stateful
    pure: bool = False

    # --- graphs and lists among its attributes and inputs
    #: what it does with the graphs among its attributes; "other" runs them in its own way, always on the host
    flow: Literal["", "call", "branch", "loop", "map", "other"] = ""
    #: it is control flow of TensorFlow 1, which a session converts to functions before it runs them (`graph/frames.py`)
    dataflow: bool = False
    #: what it does with a tensor list: read or write an element, grow or shrink it, or something else
    list_use: Literal["", "get", "set", "push", "pop", "whole"] = ""
    #: `ListFacts` of its outputs that are tensor lists; None: those of its first list
    list_facts: Callable | None = None
    #: its kernel also takes or returns tensor lists, on the host and in programs
    variants: bool = False

    # --- while a graph is built
    #: the pattern of a node's inputs, "[n,r] [n] [r] 0"; others are rejected before any other check
    #: (`trace_patterns.py`)
    fits: str = ""
    #: what is rejected before the shape rule runs
    trace_check: Callable | None = None
    #: the shape rule's objections, with TensorFlow's messages
    trace_words: Callable | None = None
    #: what its shape function rejects is rejected in graphs only: eagerly its kernel alone decides, which takes more
    lenient: bool = False
    #: how TensorFlow's public functions name its nodes
    naming: Naming = PLAIN

    # --- in programs
    #: it runs only on the host
    host: bool = False
    #: inputs whose values XLA must know; or a function (attrs, count) -> {position: (record, operand)} of these
    static: tuple[str, ...] | Callable = ()
    #: how it is lowered, if not through its kernel
    lower: Callable | None = None
    #: what `jit_compile=True` does with an op that cannot be in a program: it is rejected, runs on the host between two
    #: programs, is dropped, or is replaced by its input
    jit: Literal["", "between", "omit", "pass"] = ""
    #: in TensorFlow's XLA the size of its result may change between iterations of a loop
    bounded: bool = False

    # --- on accelerators, in eager code
    #: how it runs there, if not as a program of its kernel: (op, inputs, attrs, place) -> values, or None if it does
    accelerated: Callable | None = None
    #: runs on the host if its inputs are there: as a program it would be compiled for each new shape
    made_on_host: bool = False
    #: it reads the handle of a variable, not its value
    handle_only: bool = False
    #: it keeps its inputs in whatever memory they are: a host step does not fetch them from an accelerator
    stores: bool = False

    # --- other
    #: it waits, or releases the GIL: worth a thread
    overlaps: bool = False
    #: it waits for ops of the same kind on other devices, which may be in the same function
    meets: bool = False
    #: it finds its resource by name, in the session that runs it
    by_session: bool = False
    #: given a vector where its first input is a scalar, it returns what `Dataset.batch` makes of the separate results:
    #: parsing
    joins_rows: bool = False
    #: what it accesses outside the process; or a function of the node's attributes that returns it
    touches: tuple[str, ...] | Callable = ()
    #: one of our own ops in terms of TensorFlow's, for files: (attributes, inputs) -> outputs
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
        self.equal_dtypes = self._equal_dtype_pairs()
        self.first_dtypes = self._dtypes_of_first()
        self.other_dtypes = self._dtypes_of_others()
        self.plain = not (self.has_lists or self.checks or self.host)
        self.kernel_attrs = self._kernel_attrs()
        #: the attributes that give the length of a list among the inputs or outputs
        self.length_attrs = tuple(
            {a.number_attr: None for a in (*self.definition.inputs, *outputs) if a.number_attr}
        )
        self.fast = functools.partial(self.kernel, host_xp) if self.plain and self.single else None
        #: whether functions may be among its attributes, as in those of our own ops
        self.has_functions = self.definition.name.startswith(opdef.OWN_PREFIX) or any(
            "func" in attr.type for attr in self.definition.attrs.values()
        )
        self._find_quantized()
        if self.elementwise and self.batch is None:
            self.batch = batching.aligned
        if self.sized_by_data:
            self.jit = "between"
        self._find_state()

    def _find_state(self) -> None:
        """Derive facts from what the record declares about state."""
        #: its one output is a resource that other nodes may share by name; a session keeps it between runs
        self.makes_resource = (
            self.single and "shared_name" in self.definition.attrs and _holds_resource(self.definition.outputs[0])
        )
        said = bool(self.reads or self.writes or self.effect or self.opaque)
        self.stateful = said or self.definition.stateful and not self.pure
        #: a stateful random op: see `random_state.py`
        self.hidden_counter = self.stateful and "seed2" in self.definition.attrs and not self.makes_resource
        if self.stateful and not (said or self.hidden_counter or self.flow):
            raise TypeError(
                f"{self.name} is stateful. Its record must say what it `reads` or `writes`, `effect=True` or "
                "`opaque=True`; or `pure=True` if the OpDef exaggerates."
            )
        #: it only reads resources
        self.only_reads = bool(self.reads) and not (self.writes or self.effect or self.opaque)
        #: its kernel may run user code, which has its own error state and context: it has functions, state, or handles
        #: to them
        self.calls_back = self.host and (said or bool(self.flow) or self._has_handles())
        #: it runs even if its results are unused
        self.must_run = self.stateful and not self.only_reads

    def _has_handles(self) -> bool:
        """Whether its inputs and attributes include functions, datasets or resources."""
        return self.has_functions or any(arg.type in ("DT_VARIANT", "DT_RESOURCE") for arg in self.definition.inputs)

    def _equal_dtype_pairs(self) -> tuple[tuple[int, int], ...]:
        """Pairs of input positions that must have the same dtype (ops without list arguments)."""
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

    def _dtypes_of_first(self) -> frozenset[int] | None:
        """The dtypes the first input may have, as enums, or None for any."""
        if not self.definition.inputs or self.has_lists:
            return None
        arg = self.definition.inputs[0]
        if arg.type_attr is None:
            return frozenset([dtypes.as_dtype(arg.type).enum])
        allowed = self.definition.attrs[arg.type_attr].allowed
        return None if allowed is None else frozenset(dtypes.as_dtype(a).enum for a in allowed)

    def _dtypes_of_others(self) -> tuple[tuple[int, frozenset[int]], ...]:
        """Positions of further inputs, with the allowed dtypes of each, as enums; counted from the end after a list.

        Inputs that must agree with an earlier one are in `same`; those of a list are not checked.
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
        """How to tell that results are quantized.

        Their arrays are those of plain integers; only the node's types tell them apart.
        """
        #: the flat position of an input with the dtype of the results, if that may be quantized
        self.dtype_input: int | None = None
        #: the attributes that are dtypes of results and of no input, or of a list of inputs, if these may be quantized;
        #: and whether they are by default
        self.dtype_attrs: dict[str, bool] = {}
        #: the only one, if every call passes it
        self.dtype_attr: str | None = None
        for arg in self.definition.outputs:
            attr = self.definition.attrs.get(arg.type_attr or arg.type_list_attr or "")
            if attr is not None and (attr.allowed is None or not _QUANTIZED.isdisjoint(attr.allowed)):
                place = self._place_of(attr)
                if (
                    place is None and attr.name not in self.definition.inferred_attrs
                    and not self.name.startswith(opdef.OWN_PREFIX)
                ):
                    self.dtype_attrs[attr.name] = attr.default in _QUANTIZED
                elif self.dtype_input is None:
                    self.dtype_input = place
                if place is not None and attr.type == "list(type)":  # the dtypes of other inputs may be quantized too
                    self.dtype_attrs[attr.name] = False
        only = self.definition.attrs[next(iter(self.dtype_attrs))] if len(self.dtype_attrs) == 1 else None
        if only is not None and only.type == "type" and only.default is opdef.MISSING:
            self.dtype_attr, self.dtype_attrs = only.name, {}
        #: whether any of these three says something
        self.may_be_quantized = bool(self.dtype_input is not None or self.dtype_attr or self.dtype_attrs)
        #: dtypes of the first input with which a result has its array's dtype; None: all
        self.fast_dtypes = self.first_dtypes
        if self.dtype_input is not None:
            self.fast_dtypes = _PLAIN_ENUMS if self.first_dtypes is None else self.first_dtypes & _PLAIN_ENUMS

    def _place_of(self, attr: opdef.Attr) -> int | None:
        """The flat position of an input that has the dtype of an attribute; counted from the end after a list."""
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
        """Whether a list contains at least one tensor."""
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
        """Positions, among `count` flat inputs, of those whose values XLA must know."""
        if callable(self.static):
            return tuple(self.static(attrs, count))
        if not self.has_lists or not self.static:
            return self.static_indices
        return tuple(places(self.definition.inputs, count, attrs, self.static))

    def value_needed(self, attrs: Attrs, count: int, position: int) -> NeedsValue:
        """The exception for a static operand that is not a value."""
        if callable(self.static):
            record, operand = self.static(attrs, count)[position]
            return NeedsValue(record, operand, position)
        inputs = self.definition.inputs
        operand = next(a.name for a in inputs if position in places(inputs, count, attrs, (a.name,)))
        return NeedsValue(self, operand, position)

    def group(self, flat: Sequence[Any], attrs: Attrs) -> list:
        """Flat inputs in the form that the kernel takes: list arguments become lists."""
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
            if count is None:  # the only list: it gets what the single arguments leave
                count = len(flat) - sum(not a.is_list for a in self.definition.inputs)
            out.append(list(flat[at : at + count]))
            at += count
        return out

    def call(self, xp: Xp, flat: Sequence[Any], attrs: Attrs) -> Any:
        """Run the kernel on flat values."""
        return self.kernel(xp, *(self.group(flat, attrs) if self.has_lists else flat), **self.bind(attrs))

    def touched(self, attrs: dict) -> tuple[str, ...]:
        """What a node with these attributes accesses outside the process."""
        return self.touches(attrs) if callable(self.touches) else self.touches

    def bind(self, attrs: dict) -> dict:
        """The attributes of a node that the kernel takes."""
        if self.kernel_attrs is None:
            return attrs
        return {k: v for k, v in attrs.items() if k in self.kernel_attrs}

    def __repr__(self) -> str:
        return f"<Op {self.name}>"


_QUANTIZED = frozenset(f"DT_{dtype.name.upper()}" for dtype in dtypes.QUANTIZED.values())
_PLAIN_ENUMS = frozenset(dtype.enum for dtype in dtypes.ALL if dtype.kind != "q")


def _holds_resource(output: opdef.Arg) -> bool:
    """Whether an output is a handle; TensorFlow's oldest resources are references to strings."""
    return output.type == "DT_RESOURCE" or output.is_ref


def _parameters(kernel: Callable) -> tuple[list[str], bool, bool]:
    """The names of a kernel's parameters after `xp`; whether it takes more by position; whether it takes more by name.

    `inspect.signature` takes 60 µs, and there are 1,200 kernels, so plain functions are read from their code objects.
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
