"""How nodes of an op are called in a graph, where TensorFlow's public functions do not call them by the op's own name.

Records hold these facts; `reflow/graph/names.py` makes names of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Naming:
    """The names that TensorFlow's public functions give to the nodes of one op."""

    label: str = ""  # the node's own; "a/b": its function opens the scope a for it
    operator: str = ""  # its own if a Python operator made it (`x + y`)
    statement: bool = True  # whether what Reflow itself adds for a `for` or `while` is named as if by the operator
    functions: Mapping[str, str] = field(default_factory=dict)  # public function that made it -> its own
    inputs: Mapping[str, str] = field(default_factory=dict)  # input -> what a constant for it is called
    scope: bool = True  # whether its function opens a scope for what it makes of its arguments
    reads_first: bool = False  # whether a variable among the arguments is read before that scope is open
    #: the public functions that make it because the user asked for it; other calls made it of an argument. None: all do
    asked_by: tuple[str, ...] | None = None


PLAIN = Naming()
