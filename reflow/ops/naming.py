"""Node names in a graph, where TensorFlow's public functions do not use the op's own name.

Records hold these facts; `reflow/graph/names.py` derives names from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Naming:
    """The names that TensorFlow's public functions give to the nodes of one op."""

    label: str = ""  # the node's label; "a/b": its function opens the scope a for it
    operator: str = ""  # the label if a Python operator created it (`x + y`)
    # whether nodes that Reflow itself adds for a `for` or `while` are named as if by the operator
    statement: bool = True
    functions: Mapping[str, str] = field(default_factory=dict)  # public function that created it -> label
    inputs: Mapping[str, str] = field(default_factory=dict)  # input -> the name of a constant for it
    scope: bool = True  # whether its function opens a scope for nodes created from its arguments
    reads_first: bool = False  # whether a variable argument is read before that scope is open
    #: the public functions that create it at the user's request; other calls create it from an argument. None: all do
    asked_by: tuple[str, ...] | None = None


PLAIN = Naming()
