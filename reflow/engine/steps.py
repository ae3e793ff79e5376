"""Translates a program to C++ steps: the *jaxpr* that JAX traces is converted primitive by primitive.

Calling an XLA program costs more than a small network computes. Here the network becomes a list of steps
(`reflow/native/steps.h`), which one call runs. Slices, transpositions and broadcasts are views, not steps; expressions
of weights alone are computed now; booleans are the numbers 0 and 1. A `scan`, the basis of recurrent layers, is a loop
of steps, or several in parallel (`parts.py`). Anything else in a program (unknown integers, other dtypes than float32)
raises `CannotEncode`, and XLA runs it.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from reflow import native
from reflow.devices import cores
from reflow.engine import encoding as code
from reflow.engine import parts
from reflow.engine.encoding import (
    BINARY,
    REDUCTIONS,
    UNARY,
    CannotEncode,
    Constants,
    Place,
    Step,
    argument,
    bits,
    encoded,
    matrix,
    strided,
)
from reflow.engine.fusion import UNLIMITED, accumulating, finishing, in_panels_where_known
from reflow.engine.views import ARGUMENTS, CONSTANTS, SCRATCH, WINDOW, Buffer, View, merged
from reflow.native.network import packed_weights

Known = np.ndarray
Value = Known | View
MOST_STEPS = 1 << 14
#: work from which several threads are worth while (some 200 µs), and that of a product that they share (`steps.h`)
SHARED, SHARED_PRODUCT = 1 << 23, 1 << 17
THREADS = min(cores.AVAILABLE, 16)  # as many as `crew.h` has
#: primitives that are their inner program
CALLS = {"jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "custom_jvp_call": "call_jaxpr",
         "custom_vjp_call": "call_jaxpr"}


@dataclass
class Encoded:
    """A network as `reflow.native.network.Network` takes it, and what it costs."""

    steps: list[int]
    constants: np.ndarray
    work: int  # multiply-adds of products, and numbers that other steps write
    inputs: list[tuple[int, ...]]
    outputs: list[tuple[int, ...]]


def encode(function: Callable[[Any, Any], Any], weights: Sequence[np.ndarray], inputs: Sequence[jax.ShapeDtypeStruct],
           most: int) -> Encoded:
    """The steps of a function of weights and inputs. Its arguments are the inputs and then the outputs.

    Raises:
      CannotEncode: it has something that no step does, or more work than `most`.
    """
    closed = jax.make_jaxpr(lambda given: function(list(weights), given))(list(inputs))
    if any(a.dtype != np.float32 or not a.size for a in (*closed.in_avals, *closed.out_avals)):
        raise CannotEncode("inputs or outputs that are not float32, or empty")
    sizes = [math.prod(a.shape) for a in (*closed.in_avals, *closed.out_avals)]
    made = Translation(most)
    given = [argument(i, n).view(a.shape) for i, (n, a) in enumerate(zip(sizes, closed.in_avals))]
    results = made.run(closed, given)
    for number, value in enumerate(results, len(given)):
        made.output(made.placed(value), number)
    made.steps = [made.in_parts(step) for step in accumulating(finishing(made.steps, made.constants))]
    made.steps, windows = parts.by_image(made.steps, THREADS if made.is_shared() else 1)
    made.windows += windows
    made.windows_after(len(sizes))
    made.steps = in_panels_where_known(made.steps, made.constants, native.panel_columns())
    made.constants.keep(made.steps)
    steps = encoded(made.steps, sizes, [buffer.size for buffer in made.windows], made.constants.size, made.is_shared())
    shapes = [tuple(a.shape) for a in closed.in_avals], [tuple(a.shape) for a in closed.out_avals]
    return Encoded(steps, made.constants.array(), made.work, *shapes)


class Translation:
    """The steps so far. A value is a NumPy array if it is known, and a view otherwise."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.steps: list[Step] = []
        self.constants = Constants()
        self.windows: list[Buffer] = []
        self.work = self.shared = 0

    def run(self, closed: Any, arguments: Sequence[Value]) -> list[Value]:
        """The values of a closed jaxpr's outputs."""
        jaxpr = closed.jaxpr
        values: dict[Any, Value] = dict(zip(jaxpr.invars, arguments, strict=True))
        values.update(zip(jaxpr.constvars, map(np.asarray, closed.consts), strict=True))

        def read(var: Any) -> Value:
            return np.asarray(var.val, var.aval.dtype) if hasattr(var, "val") else values[var]  # a literal, or made

        for equation in jaxpr.eqns:
            outputs = self._equation(equation, [read(v) for v in equation.invars])
            values.update(zip(equation.outvars, outputs))
        return [read(v) for v in jaxpr.outvars]

    def _equation(self, equation: Any, inputs: list[Value]) -> Sequence[Value]:
        name, params = equation.primitive.name, equation.params
        if name in CALLS:
            return self.run(params[CALLS[name]], inputs)
        if name == "broadcast_in_dim":
            return [self.viewed(inputs[0], lambda x: _broadcast(x, params["shape"], params["broadcast_dimensions"]))]
        if all(isinstance(x, Known) for x in inputs):
            made = equation.primitive.bind(*inputs, **params)
            return list(map(np.asarray, made)) if equation.primitive.multiple_results else [np.asarray(made)]
        handler = HANDLERS.get(name)
        if handler is None:
            raise CannotEncode(f"the primitive {name}")
        if len(self.steps) > MOST_STEPS or self.work > self.most:
            raise CannotEncode(f"more than {MOST_STEPS} steps or {self.most} multiply-adds")
        made = handler(self, equation, *inputs)
        return made if isinstance(made, list) else [made]

    def product(self, times: int, work: int) -> None:
        """Count the work of some products."""
        self.work += times * work
        self.shared += times * work if work >= SHARED_PRODUCT else 0

    def in_parts(self, step: Step) -> Step:
        """A loop with much work as several side by side, if it can be; other steps as they are."""
        if step[0] != code.LOOP or parts.work(step) < SHARED:
            return step
        made = parts.in_parts(step, THREADS)
        self.shared = max(self.shared, parts.work(step) if made is not step else 0)
        return made

    def is_shared(self) -> bool:
        """Whether several threads are worth while: they wait actively, so most of the work must be for all of them."""
        return self.work >= SHARED and 2 * self.shared >= self.work

    # --- values

    def placed(self, value: Value) -> View:
        """A value as a view: a known one becomes a constant."""
        if isinstance(value, View):
            return value
        if value.dtype not in (np.float32, np.bool_) or not value.size:
            raise CannotEncode(f"a known array of {value.dtype} with {value.size} elements")
        return self.constants.view(value)

    def viewed(self, value: Value, change: Callable[[np.ndarray], np.ndarray]) -> Value:
        """A value after a change that only says where its numbers are."""
        return change(value) if isinstance(value, Known) else value.like(change(value.array))

    def new(self, shape: Sequence[int]) -> View:
        """Room for a result."""
        if not all(shape):
            raise CannotEncode("an empty array")
        return Buffer(math.prod(shape)).view(shape)

    def step(self, kind: Sequence[int], inputs: Sequence[Value], shape: Sequence[int]) -> View:
        """A step that makes an array out of arrays of its shape, or scalars."""
        out = self.new(shape)
        self.work += out.array.size
        wide = [self.viewed(x, lambda a: np.broadcast_to(a, out.shape)) for x in inputs]
        self.steps.append(strided(kind, [self.placed(x) for x in wide], out))
        return out

    def copy(self, value: Value, out: View) -> View:
        self.steps.append(strided([code.COPY], [self.placed(value), out], None))
        return out

    def run_of(self, value: Value) -> View:
        """A value whose elements are contiguous."""
        view = self.placed(value)
        return view if view.is_run else self.copy(view, self.new(view.shape))

    def reshaped(self, value: Value, shape: Sequence[int]) -> Value:
        if isinstance(value, Known):
            return value.reshape(tuple(shape))
        made = value.reshaped(shape) or self.run_of(value).reshaped(shape)
        assert made is not None  # a run of numbers has any shape
        return made

    def output(self, view: View, number: int) -> None:
        """Let a value end in an argument: what makes it writes there if nothing else has this place."""
        if view.is_whole and view.buffer.memory == SCRATCH:
            view.buffer.memory, view.buffer.offset = ARGUMENTS + number, 0
        else:
            self.copy(view, argument(number, view.array.size).view(view.shape))

    def windows_after(self, arguments: int) -> None:
        """Give the windows of loops their memories, which come after the arguments."""
        for i, buffer in enumerate(self.windows):
            buffer.memory = ARGUMENTS + arguments + i


def _broadcast(x: np.ndarray, shape: Sequence[int], axes: Sequence[int]) -> np.ndarray:
    """The array on these axes of a shape."""
    wide = [1] * len(shape)
    for axis, n in zip(axes, x.shape):
        wide[axis] = n
    return np.broadcast_to(x.reshape(wide), tuple(shape))


# --- primitives

Handler = Callable[..., Value | list[Value]]
HANDLERS: dict[str, Handler] = {}


def handles(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, handler))
        return handler

    return register


def _shape(equation: Any) -> tuple[int, ...]:
    return tuple(equation.outvars[0].aval.shape)


@handles(*UNARY)
def unary(t: Translation, equation: Any, x: Value) -> Value:
    return t.step([code.MAP, UNARY.index(equation.primitive.name)], [x], _shape(equation))


@handles(*BINARY)
def binary(t: Translation, equation: Any, x: Value, y: Value) -> Value:
    return t.step([code.COMBINE, BINARY.index(equation.primitive.name)], [x, y], _shape(equation))


@handles("gt", "ge")
def turned_comparison(t: Translation, equation: Any, x: Value, y: Value) -> Value:
    return t.step([code.COMBINE, BINARY.index({"gt": "lt", "ge": "le"}[equation.primitive.name])], [y, x],
                  _shape(equation))


@handles("and", "or")
def both_or_either(t: Translation, equation: Any, x: Value, y: Value) -> Value:
    if equation.outvars[0].aval.dtype != np.bool_:
        raise CannotEncode("bits of integers")
    return t.step([code.COMBINE, BINARY.index("min" if equation.primitive.name == "and" else "max")], [x, y],
                  _shape(equation))


@handles("integer_pow")
def integer_power(t: Translation, equation: Any, x: Value) -> Value:
    power = equation.params["y"]
    if power == 2:
        return t.step([code.MAP, UNARY.index("square")], [x], _shape(equation))
    return t.step([code.COMBINE, BINARY.index("pow")], [x, np.asarray(power, np.float32)], _shape(equation))


@handles("clamp")
def clamp(t: Translation, equation: Any, low: Value, x: Value, high: Value) -> Value:
    above = t.step([code.COMBINE, BINARY.index("max")], [x, low], _shape(equation))
    return t.step([code.COMBINE, BINARY.index("min")], [above, high], _shape(equation))


@handles("select_n")
def select(t: Translation, equation: Any, which: Value, *cases: Value) -> Value:
    if len(cases) != 2 or equation.invars[0].aval.dtype != np.bool_:
        raise CannotEncode("a choice among more than two")
    return t.step([code.SELECT], [which, *cases], _shape(equation))


@handles("convert_element_type")
def convert(t: Translation, equation: Any, x: Value) -> Value:
    kinds = (equation.invars[0].aval.dtype, equation.outvars[0].aval.dtype)
    if any(kind not in (np.float32, np.bool_) for kind in kinds):
        raise CannotEncode(f"a conversion from {kinds[0]} to {kinds[1]}")
    if kinds == (np.float32, np.bool_):
        return t.step([code.COMBINE, BINARY.index("ne")], [x, np.asarray(0, np.float32)], _shape(equation))
    return x


@handles("copy", "copy_p", "stop_gradient", "optimization_barrier")
def same(t: Translation, equation: Any, *values: Value) -> Value | list[Value]:
    return list(values)


# --- views


@handles("reshape", "squeeze", "expand_dims")
def reshape(t: Translation, equation: Any, x: Value) -> Value:
    return t.reshaped(x, _shape(equation))


@handles("transpose")
def transpose(t: Translation, equation: Any, x: Value) -> Value:
    return t.viewed(x, lambda a: a.transpose(equation.params["permutation"]))


@handles("rev")
def reverse(t: Translation, equation: Any, x: Value) -> Value:
    return t.viewed(x, lambda a: np.flip(a, equation.params["dimensions"]))


@handles("slice")
def slice_(t: Translation, equation: Any, x: Value) -> Value:
    p = equation.params
    steps = p["strides"] or (1,) * len(p["start_indices"])
    return t.viewed(x,
                    lambda a: a[tuple(slice(*three) for three in zip(p["start_indices"], p["limit_indices"], steps))])


@handles("split")
def split(t: Translation, equation: Any, x: Value) -> list[Value]:
    ends, axis = np.cumsum(equation.params["sizes"]), equation.params["axis"]
    places = [(slice(None),) * axis + (slice(end - size, end),) for end, size in zip(ends, equation.params["sizes"])]
    return [t.viewed(x, operator.itemgetter(place)) for place in places]


@handles("dynamic_slice")
def dynamic_slice(t: Translation, equation: Any, x: Value, *starts: Value) -> Value:
    sizes = equation.params["slice_sizes"]
    places = _inside(starts, [n - s for n, s in zip(equation.invars[0].aval.shape, sizes)])
    return t.viewed(x, lambda a: a[tuple(slice(i, i + n) for i, n in zip(places, sizes))])


@handles("dynamic_update_slice")
def dynamic_update_slice(t: Translation, equation: Any, x: Value, update: Value, *starts: Value) -> Value:
    shape, sizes = _shape(equation), equation.invars[1].aval.shape
    places = _inside(starts, [n - s for n, s in zip(shape, sizes)])
    if shape == sizes:
        return update
    out = t.copy(x, t.new(shape))
    t.copy(update, out.like(out.array[tuple(slice(i, i + n) for i, n in zip(places, sizes))]))
    return out


def _inside(starts: Sequence[Value], largest: Sequence[int]) -> list[int]:
    """Where a slice begins, which must be known: within the array, as XLA has it."""
    if not all(isinstance(s, Known) for s in starts):
        raise CannotEncode("a slice at a place that is not known")
    return [min(max(int(np.asarray(s)), 0), high) for s, high in zip(starts, largest)]


@handles("concatenate")
def concatenate(t: Translation, equation: Any, *parts: Value) -> Value:
    out, axis, at = t.new(_shape(equation)), equation.params["dimension"], 0
    for part, var in zip(parts, equation.invars):
        n = var.aval.shape[axis]
        if n:
            t.copy(part, out.like(out.array[(slice(None),) * axis + (slice(at, at + n),)]))
        at += n
    return out


@handles("stack")
def stack(t: Translation, equation: Any, *parts: Value) -> Value:
    out, axis = t.new(_shape(equation)), equation.params["axis"]
    for i, part in enumerate(parts):
        t.copy(part, out.like(out.array[(slice(None),) * axis + (i,)]))
    return out


@handles("pad")
def pad(t: Translation, equation: Any, x: Value, filler: Value) -> Value:
    config = equation.params["padding_config"]
    if not isinstance(filler, Known):
        raise CannotEncode("a padding that is not known")
    return padded(t, x, config, float(filler), _shape(equation))


def padded(t: Translation, x: Value, config: Sequence[tuple[int, int, int]], filler: float,
           shape: Sequence[int]) -> View:
    """An array with numbers before, after and between its own."""
    if any(before < 0 or after < 0 for before, after, _ in config):
        raise CannotEncode("a padding that crops")
    out = t.new(shape)
    t.steps.append([code.FILL, out.array.size, bits(filler), Place(out.buffer)])
    sizes = x.shape
    t.copy(
        x, out.like(out.array[tuple(slice(b, b + (n - 1) * (i + 1) + 1, i + 1) for (b, _, i), n in zip(config, sizes))])
    )
    return out


# --- reductions and products


@handles(*REDUCTIONS)
def reduce(t: Translation, equation: Any, x: Value) -> Value:
    axes = equation.params["axes"]
    return reduced(t, REDUCTIONS.index(equation.primitive.name), t.placed(x), axes, _shape(equation))


def reduced(t: Translation, kind: int, view: View, axes: Sequence[int], shape: Sequence[int]) -> View:
    """A reduction: a step with the shapes of kept and of reduced axes, then the strides of both."""
    kept = [a for a in range(view.array.ndim) if a not in axes]
    turned = view.array.transpose([*kept, *axes])
    firsts: tuple[tuple[Any, ...], ...] = (..., *[0] * len(axes)), (*[0] * len(kept), ...)
    (outer, [first]), (inner, [second]) = (merged([view.like(turned[index])]) for index in firsts)
    out = t.new(shape)
    t.work += view.array.size
    place = Place(view.buffer, view.offset, (*first, *second))
    t.steps.append([code.REDUCE, kind, len(outer), *outer, len(inner), *inner, place, Place(out.buffer)])
    return out


@handles("dot_general")
def dot(t: Translation, equation: Any, x: Value, y: Value) -> Value:
    if any(v.aval.dtype != np.float32 for v in (*equation.invars, *equation.outvars)):
        raise CannotEncode("a product of other numbers than float32")
    return multiplied(t, x, y, equation.params["dimension_numbers"], _shape(equation))


def multiplied(t: Translation, x: Value, y: Value, dimension_numbers: Any, shape: Sequence[int]) -> Value:
    """A product along some axes, for each index of some others."""
    (x_depth, y_depth), (x_batch, y_batch) = dimension_numbers
    shapes = [x.shape, y.shape]
    x_rows, y_columns = (
        [a for a in range(len(s)) if a not in (*depth, *batch)]
        for s, depth, batch in zip(shapes, (x_depth, y_depth), (x_batch, y_batch))
    )
    left = _matrix_of(t, x, x_batch, x_rows, x_depth)
    right = _matrix_of(t, y, y_batch, y_depth, y_columns)
    batch = [shapes[0][a] for a in x_batch]
    rows, depth, columns = (math.prod(s[a] for a in axes)
                            for s, axes in zip((shapes[0], shapes[0], shapes[1]), (x_rows, x_depth, y_columns)))
    if not depth:
        raise CannotEncode("a product of nothing")
    out = t.new(shape)
    t.product(math.prod(batch), rows * depth * columns)
    t.steps.append([code.PRODUCT, len(batch), *batch, rows, depth, columns, 0, left, right, Place(out.buffer)])
    return out


def _matrix_of(t: Translation, value: Value, batch: Sequence[int], rows: Sequence[int],
               columns: Sequence[int]) -> Place:
    found = matrix(t.placed(value), batch, rows, columns)
    if found is None:
        turned = t.run_of(t.viewed(value, lambda a: a.transpose([*batch, *rows, *columns])))
        axes, first, last = list(range(len(turned.shape))), len(batch), len(batch) + len(rows)
        found = matrix(turned, axes[:first], axes[first:last], axes[last:])
    assert found is not None
    return found


@handles("ffi_call")
def kernel(t: Translation, equation: Any, x: Value, y: Value, *more: Value) -> Value:
    """One of our kernels (`ops/xp/xla/native.py`)."""
    target = equation.params["target_name"]
    numbers = {name: np.asarray(getattr(value, "val", value)).tolist() for name, value in equation.params["attributes"]}
    if target == "reflow_product":
        x, y = (t.viewed(v, np.transpose) if numbers[flip] else v for v, flip in ((x, "flip_x"), (y, "flip_y")))
        return multiplied(t, x, y, (((1,), (0,)), ((), ())), _shape(equation))
    if target not in ("reflow_convolution", "reflow_depthwise") or not isinstance(y, Known):
        raise CannotEncode(f"the kernel {target}, or one of unknown weights")
    image, out = t.run_of(x), t.new(_shape(equation))
    dilations = numbers.get("dilations", [1, 1])
    kind, weights = packed_weights(y, out.shape, numbers["strides"], dilations, target == "reflow_depthwise")
    sizes = [*image.shape, *y.shape, *out.shape, *numbers["strides"], *dilations, *numbers["padding"]]
    alone = [0, 0, *UNLIMITED]  # without a bias, without an array that is added: `fusion.py`
    places = [Place(image.buffer, image.offset), Place(t.constants.view(weights).buffer), Place(out.buffer)]
    t.product(1, out.array.size * math.prod(y.shape[:3]))
    t.steps.append([code.CONVOLVE, native.panel_columns(), kind, *sizes, *alone, *places])
    return out


@handles("conv_general_dilated")
def convolution(t: Translation, equation: Any, x: Value, w: Value) -> Value:
    """A product of windows: a copy of each window side by side, then the filter as a matrix."""
    p = equation.params
    x_order, w_order, out_order = p["dimension_numbers"]
    if (p["feature_group_count"] != 1 or p["batch_group_count"] != 1 or any(d != 1 for d in p["lhs_dilation"])
            or not isinstance(w, Known)):
        raise CannotEncode("a convolution of groups, one that grows its image, or one of unknown weights")
    if any(v.aval.dtype != np.float32 for v in equation.invars):
        raise CannotEncode("a convolution of other numbers than float32")
    axes = range(2, len(x_order))
    image = t.viewed(x, lambda a: a.transpose([x_order[0], *(x_order[i] for i in axes), x_order[1]]))
    filters = w.transpose([*(w_order[i] for i in axes), w_order[1], w_order[0]])
    seen = windows(t, image, filters.shape[:-2], p["window_strides"], p["padding"], p["rhs_dilation"], 0.0)
    batch, *space = seen.shape[: len(axes) + 1]
    rows = t.run_of(seen)
    depth, out_channels = math.prod(filters.shape[:-1]), filters.shape[-1]
    out = t.new((batch, *space, out_channels))
    matrix_ = t.constants.view(np.ascontiguousarray(filters.reshape(depth, out_channels)))
    many = math.prod((batch, *space))
    t.product(1, many * depth * out_channels)
    left = Place(rows.buffer, rows.offset, (depth, 1))
    right = Place(matrix_.buffer, 0, (out_channels, 1))
    t.steps.append([code.PRODUCT, 0, many, depth, out_channels, 0, left, right, Place(out.buffer)])
    places = [out_order.index(i) for i in range(len(out_order))]  # of axis i of the result among batch, channels, space
    return out.like(out.array.transpose([0 if i == 0 else out.array.ndim - 1 if i == 1 else i - 1 for i in places]))


def windows(t: Translation, x: Value, window: Sequence[int], strides: Sequence[int], padding: Sequence[tuple[int, int]],
            dilations: Sequence[int], filler: float) -> View:  # fmt: skip
    """The windows of images [batch, *space, channels], as [batch, *places, *window, channels]: a view of the images."""
    if any(low or high for low, high in padding):
        config = [(0, 0, 0), *((low, high, 0) for low, high in padding), (0, 0, 0)]
        x = padded(t, x, config, filler, [n + low + high for n, (low, high, _) in zip(x.shape, config)])
    view = t.placed(x)
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilations)]
    seen = np.lib.stride_tricks.sliding_window_view(view.array, reach, axis=tuple(range(1, len(reach) + 1)))
    rank = len(reach)
    seen = seen[
        (slice(None), *(slice(None, None, s) for s in strides), slice(None), *(slice(None, None, d) for d in dilations))
    ]
    return view.like(seen.transpose([0, *range(1, rank + 1), *range(rank + 2, 2 * rank + 2), rank + 1]))


@handles("reduce_window_max", "reduce_window_sum")
def pool(t: Translation, equation: Any, x: Value) -> Value:
    p = equation.params
    if any(d != 1 for d in p["base_dilation"]):
        raise CannotEncode("a pool that grows its image")
    largest = equation.primitive.name == "reduce_window_max"
    rank = len(p["window_dimensions"])
    whole = t.viewed(x, lambda a: a[None, ..., None])
    seen = windows(t, whole, p["window_dimensions"], p["window_strides"], p["padding"], p["window_dilation"],
                   -np.inf if largest else 0.0)
    flat = seen.like(seen.array[0, ..., 0])
    return reduced(t, REDUCTIONS.index("reduce_max" if largest else "reduce_sum"), flat, list(range(rank, 2 * rank)),
                   _shape(equation))


# --- loops


def _loop_parts(params: dict[str, Any]) -> tuple[int, int]:
    """How many inputs of a loop never change, and how many it carries. JAX 0.11 tells them in a tree of all inputs."""
    if "num_consts" in params:
        return params["num_consts"], params["num_carry"]
    fixed, carried, _ = params["ft_in"].unpack()
    return len(list(fixed)), len(list(carried))


@handles("scan")
def scan(t: Translation, equation: Any, *inputs: Value) -> list[Value]:
    """A loop. Elements of arrays that it goes along are windows; carried values are buffers that iterations change."""
    p = equation.params
    fixed, carries = _loop_parts(p)
    trips, body = p["length"], p["jaxpr"]
    if not trips:
        raise CannotEncode("a loop without iterations")
    carried = [_copied(t, value) for value in inputs[fixed : fixed + carries]]
    along, arguments = [], []
    for value in inputs[fixed + carries :]:
        whole = t.run_of(value)
        size = whole.array.size // trips
        window = Buffer(size, WINDOW, 0)
        t.windows.append(window)
        begin = Place(whole.buffer, whole.offset + (trips - 1) * size * p["reverse"])
        along.append([window, begin, -size if p["reverse"] else size])
        arguments.append(window.view(whole.shape[1:]))
    before, shared_before, outer = t.work, t.shared, t.steps
    t.steps = []
    made = t.run(body, [*inputs[:fixed], *carried, *arguments])
    stacks = [t.new((trips, *var.aval.shape)) for var in body.jaxpr.outvars[carries:]]
    results = _results(t, made, carried, stacks, carries, p["reverse"])
    inner, t.steps = t.steps, outer
    t.work, t.shared = before + (t.work - before) * trips, shared_before + (t.shared - shared_before) * trips
    t.steps.append([code.LOOP, trips, len(along), len(results), len(inner), *along, *inner, *results])
    return [*carried, *stacks]


def _copied(t: Translation, value: Value) -> View:
    """A carried value in its own buffer."""
    view = t.placed(value)
    return t.copy(view, t.new(view.shape))


def _results(t: Translation, made: list[Value], carried: list[View], stacks: list[View], carries: int,
             backwards: bool) -> list[Step]:
    """What each iteration leaves: for each result its size, where it is, where it goes, how far that moves."""
    found: list[Step] = []
    own = {c.buffer for c in carried}
    for i, value in enumerate(made):
        view = t.placed(value)
        if i < carries and view.buffer is carried[i].buffer and view.is_whole:
            continue  # passed on unchanged
        if not view.is_run or view.buffer in own and i < carries or view.buffer.memory == CONSTANTS:
            view = t.copy(view, t.new(view.shape))  # another carried value, which this iteration changes
        size = view.array.size
        if i < carries:
            found.append([size, Place(view.buffer, view.offset), Place(carried[i].buffer), 0])
        else:
            stack = stacks[i - carries]
            first = Place(stack.buffer, (stack.shape[0] - 1) * size * backwards)
            found.append([size, Place(view.buffer, view.offset), first, -size if backwards else size])
    # stacks first: they may hold carried values of this iteration, which the copies after them change
    return sorted(found, key=lambda result: result[3] == 0)
