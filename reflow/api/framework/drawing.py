"""`reflow.draw`: draws how a function runs.

The picture shows the *plan* of a function from top to bottom: its steps are bands, blue for a program that XLA compiles
and orange for what runs on the host. In a band every op is a box, below the ops whose results it reads. A band of very
many ops shows only their kinds and counts.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from reflow.api.export import export
from reflow.api.framework.explain import traced_graph, why_on_host
from reflow.api.framework.svg import Canvas, text_width
from reflow.compile.runner import plan_of
from reflow.core.resources import HandleFacts
from reflow.core.shapes import TensorShape
from reflow.graph.graph import describe_source
from reflow.ops.kernels.control.vjp import differentiated

Colours: TypeAlias = tuple[str, str]  # of a band, and of its edge
PROGRAM, HOST, VALUE = ("#e8f1fb", "#2f77c0"), ("#fdf0e2", "#b86e14"), ("#f1f3f5", "#7b8794")
GREY = "#616e7c"
# pixels: a box's height, from row to row, between boxes, inside a band, its title
BOX, ROW, GAP, PADDING, TITLE = 38, 62, 16, 14, 26
IN_A_ROW, MOST_BOXES = 7, 60  # boxes: in a row, in a band


class Drawing:
    """A picture in SVG: notebooks show it, `save` writes it to a file.

    >>> drawing = tf.draw(tf.function(lambda x: x + 1.0), tf.constant(1.0))
    >>> drawing.svg.startswith("<svg")
    True
    """

    def __init__(self, svg: str, text: str):
        self.svg, self._text = svg, text

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the picture to a file, whose name should end in `.svg`."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<{self._text}: `.save('plan.svg')` writes the picture>"


@export("draw")
def draw(function: Any, *args: Any, **kwargs: Any) -> Drawing:
    """Draw the plan of a `tf.function` for these arguments: what `tf.explain` prints, as a picture.

    Args:
      function: a `tf.function`. Without further arguments, one that has been called: its last trace is drawn.
      *args: arguments of the function.
      **kwargs: the same, by name.

    Returns:
      A `Drawing`: a notebook shows it, `drawing.save("plan.svg")` writes a file, `drawing.svg` is the text.

    >>> @tf.function
    ... def wave(x):
    ...     return tf.sin(x) + 1.0
    >>> drawing = tf.draw(wave, tf.constant(1.0))
    >>> drawing
    <plan of wave, 1 step: `.save('plan.svg')` writes the picture>
    >>> "Sin" in drawing.svg and "float32[]" in drawing.svg
    True
    """
    graph = traced_graph(function, args, kwargs)
    plan = plan_of(graph)
    count = len(plan.steps)
    return Drawing(_Picture(plan).laid_out().svg(), f"plan of {graph.name}, {count} step{'s' if count != 1 else ''}")


class _Label(NamedTuple):
    """What a box says: a name, a second line, and what the mouse finds."""

    name: str
    below: str = ""
    title: str = ""

    @property
    def width(self) -> float:
        return max(text_width(self.name, 12), text_width(self.below, 10)) + 16


class _Box(NamedTuple):
    """A box: its left edge, from the middle line of the picture, its upper edge, its label and colours."""

    x: float
    y: float
    label: _Label
    colours: Colours

    @property
    def middle(self) -> float:
        return self.x + self.label.width / 2


class _Picture:
    """A plan on its way to a picture.

    Everything is placed from a middle line, whose place is known when the widest row is.
    """

    def __init__(self, plan: Any):
        self.plan = plan
        self.makers: dict[int, _Box] = {}  # slot -> the box of what makes it
        self.bands: list[tuple[float, float, str, Colours]] = []  # upper edge, lower edge, title
        self.arrows: list[tuple[_Box, _Box]] = []
        self.boxes: list[_Box] = []

    def laid_out(self) -> _Picture:
        """Inputs, steps, results: from top to bottom."""
        graph, schedule = self.plan.graph, self.plan.schedule
        y = self.rows(0.0, [(label, [slot], []) for label, slot in zip(_inputs(graph), schedule.inputs)], VALUE)
        for number, step in enumerate(self.plan.steps, 1):
            y = self.step(y, number, step)
        names = ["result"] if len(graph.outputs) == 1 else [f"result {i}" for i in range(len(graph.outputs))]
        self.rows(y, [
            (_Label(name, _described(t)), [], [slot]) for name, t, slot in zip(names, graph.outputs, schedule.outputs)
        ], VALUE)
        return self

    def step(self, top: float, number: int, step: Any) -> float:
        """A band with the ops of one step; where the next band may begin."""
        from reflow.compile.partition import HostStep  # JAX comes with it: the plan has imported it by now

        on_host = isinstance(getattr(step, "step", step), HostStep)
        colours, y = HOST if on_host else PROGRAM, top + TITLE
        if len(step.instructions) > MOST_BOXES:
            y = self.counted(y, step.instructions, colours)
        else:
            for level in _levels(step.instructions):
                ops = sorted(level, key=self._reads_from)
                y = self.rows(y, [(_op_label(self.plan, op, on_host), op.outs, op.ins) for op in ops], colours)
        bottom = y - ROW + BOX + PADDING
        self.bands.append((top, bottom, f"{number}. {'on the host' if on_host else 'compiled by XLA'}", colours))
        return bottom + GAP

    def _reads_from(self, instruction: Any) -> float:
        """Where its inputs are, on average: boxes stand from left to right in this order."""
        known = [self.makers[slot].middle for slot in instruction.ins if slot in self.makers]
        return sum(known) / len(known) if known else 0.0

    def counted(self, y: float, instructions: Sequence[Any], colours: Colours) -> float:
        """The kinds and counts of the ops in a large step. The last box represents whatever produces its results."""
        counts = Counter(_op_name(instruction) for instruction in instructions).most_common(2 * IN_A_ROW)
        y = self.rows(y, [(_Label(name, f"{count} times"), [], []) for name, count in counts], colours)
        self.makers.update({slot: self.boxes[-1] for instruction in instructions for slot in instruction.outs})
        return y

    def rows(self, y: float, ops: Sequence[tuple[_Label, Iterable[int], Iterable[int]]], colours: Colours) -> float:
        """Boxes side by side, (label, slots that it makes, slots that it reads), in as many rows as they need;
        where the next row begins."""
        for start in range(0, len(ops), IN_A_ROW):
            row = ops[start : start + IN_A_ROW]
            x = -(sum(label.width for label, _, _ in row) + GAP * (len(row) - 1)) / 2
            for label, makes, reads in row:
                box = _Box(x, y, label, colours)
                self.boxes.append(box)
                self.arrows.extend((self.makers[slot], box) for slot in dict.fromkeys(reads) if slot in self.makers)
                self.makers.update(dict.fromkeys(makes, box))
                x += label.width + GAP
            y += ROW
        return y

    def svg(self) -> str:
        """The picture: bands, arrows on them, boxes on these."""
        centre = PADDING - min((box.x for box in self.boxes), default=0.0)
        canvas = Canvas()
        for top, bottom, title, (fill, edge) in self.bands:
            canvas.box(0, top, 2 * centre, bottom - top, fill, edge, round=8)
            canvas.text(10, top + 16, title, 11, "start", edge, bold=True)
        for maker, reader in dict.fromkeys(self.arrows):
            canvas.curve(centre + maker.middle, maker.y + BOX, centre + reader.middle, reader.y)
        for box in self.boxes:
            (name, below, title), middle = box.label, centre + box.middle
            canvas.box(centre + box.x, box.y, box.label.width, BOX, "#ffffff", box.colours[1], title)
            canvas.text(middle, box.y + (16 if below else 23), name)
            canvas.text(middle, box.y + 30, below, 10, fill=GREY)
        return canvas.svg()


def _levels(instructions: Sequence[Any]) -> list[list[Any]]:
    """Instructions in rows: each below those whose results it reads.

    What reads nothing of this step stands right above its first reader.
    """
    level_of: dict[int, int] = {}
    for instruction in instructions:
        level = max((level_of[slot] + 1 for slot in instruction.ins if slot in level_of), default=0)
        level_of.update(dict.fromkeys(instruction.outs, level))
    first_reader: dict[int, int] = {}
    rows: dict[int, list[Any]] = {}
    for instruction in reversed(instructions):
        level = max((level_of[slot] + 1 for slot in instruction.ins if slot in level_of), default=0)
        read = [first_reader[slot] for slot in instruction.outs if slot in first_reader]
        if level == 0 and read:
            level = max(min(read) - 1, 0)
        for slot in instruction.ins:
            first_reader[slot] = min(level, first_reader.get(slot, level))
        rows.setdefault(level, []).append(instruction)
    return [rows[level][::-1] for level in sorted(rows)]


def _op_label(plan: Any, instruction: Any, on_host: bool) -> _Label:
    outputs = instruction.node.outputs
    where = describe_source(instruction.node).split("\n")[0].strip()
    why = f"on the host: {why_on_host(plan, instruction)}" if on_host else ""
    return _Label(
        _op_name(instruction), _described(outputs[0]) if outputs else "", "\n".join(filter(None, [where, why]))
    )


def _op_name(instruction: Any) -> str:
    """The op, or of which op it is the gradient."""
    forward = differentiated(instruction.op, instruction.attrs)
    return f"gradient of {forward.name}" if forward else instruction.op.name.removeprefix("Reflow>")


def _inputs(graph: Any) -> Iterator[_Label]:
    """The labels of arguments and of what is captured; variables are shown as such."""
    outer = {inner._id: tensor for tensor, inner in graph.captures}
    for tensor in graph.inputs:
        facts = tensor._static if isinstance(tensor._static, HandleFacts) else None
        if facts is not None:
            value = getattr(outer.get(tensor._id), "_value", None)
            shape = TensorShape(facts.dims)
            yield _Label(f"variable {getattr(value, 'name', '') or ''}".strip(), _type(facts.dtype, shape))
        else:
            name = "captured" if tensor._id in outer else tensor.name.split(":")[0]
            yield _Label(name, _described(tensor))


def _described(tensor: Any) -> str:
    return _type(tensor.dtype, tensor.shape)


def _type(dtype: Any, shape: TensorShape) -> str:
    """dtype and shape: `float32[32, ?]`."""
    return dtype.name + (
        "[…]" if shape.rank is None else "[" + ", ".join("?" if d is None else str(d) for d in shape) + "]"
    )
