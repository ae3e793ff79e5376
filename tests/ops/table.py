"""The descriptor table: every op listed once, put through every mode (see `numeric.py`).

    case("AddV2 broadcast", lambda tf, x, y: tf.add(x, y), normal(2, 3), normal(3), dtypes=FLOATS)

The first word names the op that the case is about; the words after it only tell cases of one op apart. The expression
is written
once against `tf`: `tools/golden/ops.py` runs it under real TensorFlow 2.21 and stores values, dtypes, shapes, gradients
and inferred shapes, the tests run it under Reflow. With several `dtypes` a line is several cases; inputs that name no
dtype take the case's. This package imports neither TensorFlow nor Reflow.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

from tests.ops.inputs import Input

FLOATS = ("float32", "float64")
HALF = ("float16", "bfloat16")
INTS = ("int32", "int64")
SMALL = ("int8", "uint8", "int16", "uint16", "uint32", "uint64")
COMPLEX = ("complex64", "complex128")
F = ("float32",)

#: how a case may be run: at once, traced and interpreted, compiled in a group
ALL_MODES = ("eager", "traced", "compiled")
EAGER = ("eager",)


@dataclasses.dataclass(frozen=True)
class Case:
    """One op on one list of inputs of one dtype."""

    op: str
    label: str
    expression: Callable
    inputs: tuple
    dtype: str
    grad: bool
    modes: tuple
    loose: float  # factor on the tolerance
    covers: tuple
    reference: Callable  # the expression that TensorFlow runs: `expression`, unless it has no kernel of this op

    @property
    def id(self) -> str:
        return "-".join(filter(None, (self.op, self.label.replace(" ", "_"), self.dtype)))

    def arrays(self) -> list:
        return [spec.make(self.dtype, i) for i, spec in enumerate(self.inputs)]

    def dtypes(self) -> list:
        return [spec.name(self.dtype) for spec in self.inputs]

    def run(self, tf, tensors):
        """The outputs, as a flat list of tensors."""
        expression = self.reference if tf.__name__ == "tensorflow" else self.expression
        return flat(expression(tf, *tensors))

    def __repr__(self):
        return self.id


TABLE: dict[str, Case] = {}


def case(name, expression, *inputs, dtypes=F, grad=True, modes=ALL_MODES, loose=(1.0, ""), covers=(), reference=None):
    """Add one line to the table. `loose=(factor, reason)` widens the tolerance; `covers` names further ops it runs;
    `reference` is run by TensorFlow where it has an OpDef but no CPU kernel."""
    op, _, label = name.partition(" ")
    assert loose[0] == 1.0 or loose[1], f"{name}: a looser tolerance gives its reason"
    for dtype in dtypes:
        # tracing and compiling depend on the dtype in few ways: the first dtype of a line, bfloat16 and complex64 go
        # through both
        own = modes if dtype in (dtypes[0], "bfloat16", "complex64") else EAGER
        new = Case(op, label, expression, inputs, dtype, grad, own, loose[0], (op, *covers), reference or expression)
        assert new.id not in TABLE, f"{new.id} is in the table twice"
        TABLE[new.id] = new


def flat(outputs) -> list:
    """Tensors of a nest of lists, tuples and dictionaries."""
    if isinstance(outputs, dict):
        return [t for _, v in sorted(outputs.items()) for t in flat(v)]
    if isinstance(outputs, (list, tuple)):
        return [t for v in outputs for t in flat(v)]
    return [outputs]


def find(tf, path: str):
    """`find(tf, "math.lgamma")` is `tf.math.lgamma`."""
    return functools.reduce(getattr, path.split("."), tf)


def unary(op, path, kind: Callable[..., Input], dtypes=FLOATS + HALF, **facts):
    """An elementwise op of one input: all dtypes, then 0-d and empty."""
    def expression(tf, x):
        return find(tf, path)(x)

    case(op, expression, kind(2, 3), dtypes=dtypes, **facts)
    case(f"{op} 0d", expression, kind(), dtypes=dtypes[:1], **facts)
    case(f"{op} empty", expression, kind(0, 3), dtypes=dtypes[:1], **facts)


def binary(op, path, first, second, dtypes=FLOATS + HALF, **facts):
    """An elementwise op of two inputs: all dtypes, then broadcasting both ways, 0-d and empty."""
    def expression(tf, x, y):
        return find(tf, path)(x, y)

    case(op, expression, first(2, 3), second(2, 3), dtypes=dtypes, **facts)
    for label, a, b in (("row", (2, 3), (3,)), ("outer", (4, 1), (1, 3)), ("rank", (3,), (2, 4, 3)), ("0d", (), (2,)),
                        ("empty", (0, 3), (1, 3))):
        case(f"{op} {label}", expression, first(*a), second(*b), dtypes=dtypes[:1], **facts)


def raw(tf, name: str, **arguments):
    """`tf.raw_ops.<name>(**arguments)`."""
    return getattr(tf.raw_ops, name)(**arguments)


from tests.ops import (  # noqa: E402, F401 - they fill TABLE
    table_array,
    table_boxes,
    table_containers,
    table_csr,
    table_cudnn,
    table_data,
    table_image,
    table_linalg,
    table_math,
    table_nn,
    table_older,
    table_older_data,
    table_quantized,
    table_ragged,
    table_removed,
    table_sparse,
    table_state,
    table_statistics,
    table_strings,
    table_training,
)
