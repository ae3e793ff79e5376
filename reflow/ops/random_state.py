"""Seeds and hidden counters: the state of random ops, as in TensorFlow.

- The *global seed* (`tf.random.set_seed`) and an op's own seed determine the two seeds of a random op: its attributes
  `seed` and `seed2`. Without an own seed, eager code draws one from a Python generator that `set_seed` restarts; a
  graph counts its random ops.
- A stateful random op owns a *cell*: a Philox key and a 128-bit counter. In eager code, ops with the same name, seeds
  and other attributes share one (TensorFlow's kernel cache); in a graph each node has its own. A call reads the counter
  and advances it by the amount that TensorFlow reserves, even if less is used.
- `set_seed` restarts all cells. Seeds (0, 0) mean no seed: such a cell takes its key from the operating system.
"""

from __future__ import annotations

import contextlib
import os
import random
import weakref
from collections.abc import Callable, Iterator

import numpy as np

from reflow.core import errors
from reflow.core.context import state
from reflow.core.fork import new_lock
from reflow.core.tensor import HostObject
from reflow.devices.settings import settings
from reflow.ops import philox

DEFAULT_GRAPH_SEED = 87654321
_MAX = 2**31 - 1
REGION = 256  # 128-bit blocks that TensorFlow reserves for one output


class Cell(HostObject):
    """The hidden state of one stateful random op."""

    __slots__ = ("seeds", "key", "counter", "__weakref__")

    def __init__(self, seed: int = 0, seed2: int = 0) -> None:
        self.seeds = (seed, seed2)
        self.restart()

    def restart(self) -> None:
        """Return to the start of the stream; a cell without seeds gets new ones."""
        seed, seed2 = self.seeds
        if seed == 0 and seed2 == 0:
            seed, seed2 = (int.from_bytes(os.urandom(8), "little") for _ in range(2))
        self.key = seed & 0xFFFFFFFFFFFFFFFF
        self.counter = (seed2 & 0xFFFFFFFFFFFFFFFF) << 64

    def take(self, blocks: int) -> tuple[np.ndarray, np.ndarray]:
        """The key (uint64[1]) and counter (uint64[2]) to draw with; advances the counter by `blocks`."""
        with _lock:
            counter = self.counter
            self.counter = philox.skip(counter, blocks)
        return np.array([self.key], np.uint64), philox.counter_array(counter)


_lock = new_lock()
_node_cells: weakref.WeakSet[Cell] = weakref.WeakSet()
#: least recently used first. After `set_seed` every eager op without its own seed makes a cell that is never used
#: again.
_eager_cells: dict[tuple, Cell] = {}
_MAX_EAGER_CELLS = 1 << 14

_global_seed: int | None = None
_generator = random.Random()


def set_seed(seed: int | None) -> None:
    """Set the global seed, and restart all random ops."""
    global _global_seed, _generator
    try:
        hash(seed)
    except TypeError:
        seed = int(np.asarray(seed))
    _global_seed = seed
    _generator = random.Random(seed)
    restart_cells()


def restart_cells() -> None:
    """Reset the counters of all stateful random ops (`set_seed`, `context.clear_kernel_cache`)."""
    _eager_cells.clear()
    for cell in list(_node_cells):
        cell.restart()


def global_seed() -> int | None:
    return _global_seed


_chosen: list[Callable[[int | None], tuple[int, int]]] = []


@contextlib.contextmanager
def chosen_seeds(choose: Callable[[int | None], tuple[int, int]]) -> Iterator[None]:
    """Let a function choose the two seeds of every random op, given its own seed: for tests that compare programs."""
    _chosen.append(choose)
    try:
        yield
    finally:
        _chosen.remove(choose)


def get_seed(op_seed: int | None) -> tuple[int | None, int | None]:
    """The two seeds of a random op, from the global seed and its own; (None, None) if it has none.

    >>> with tf.Graph().as_default():
    ...     tf.compat.v1.set_random_seed(42)
    ...     tf.compat.v1.get_seed(7)
    (42, 7)
    """
    if _chosen:
        return _chosen[-1](op_seed)
    graph = state.graph
    seed = _global_seed if graph is None else getattr(graph, "seed", _global_seed)
    if seed is None and op_seed is None:
        if deterministic():
            raise RuntimeError(
                "Random ops require a seed to be set when determinism is enabled. Please set a seed before "
                "running the op, e.g. by calling tf.random.set_seed(1)."
            )
        return None, None
    if seed is None:
        seed = DEFAULT_GRAPH_SEED
    elif op_seed is None:
        op_seed = _generator.randint(0, _MAX) if graph is None else graph.next_seed()
    seeds = (int(seed) % _MAX, int(op_seed or 0) % _MAX)
    return (0, _MAX) if seeds == (0, 0) else seeds


def seed_attrs(op_seed: int | None) -> dict:
    """`get_seed` as the attributes of an op."""
    first, second = get_seed(op_seed)
    return {"seed": first or 0, "seed2": second or 0}


def deterministic() -> bool:
    """Whether `tf.config.experimental.enable_op_determinism` was called: random ops then need a seed."""
    return settings.deterministic


def eager_cell(op_name: str, attrs: dict) -> Cell:
    """The cell of an eager op: one for each combination of name, device and attributes."""
    key = (op_name, state.device, tuple(sorted((k, str(v)) for k, v in attrs.items() if not k.startswith("_"))))
    with _lock:
        cell = _eager_cells.pop(key, None)
        if cell is None:
            cell = _new_cell(attrs)
            if len(_eager_cells) >= _MAX_EAGER_CELLS:
                del _eager_cells[next(iter(_eager_cells))]
        _eager_cells[key] = cell
    return cell


def _new_cell(attrs: dict) -> Cell:
    seeds = attrs.get("seed", 0), attrs.get("seed2", 0)
    if seeds == (0, 0) and deterministic():
        words = "When determinism is enabled, random ops must have a seed specified."
        raise errors.InvalidArgumentError(None, None, words)
    return Cell(*seeds)


def node_cell(attrs: dict) -> Cell:
    """A new cell for a graph node; `set_seed` restarts it for as long as it lives."""
    cell = _new_cell(attrs)
    _node_cells.add(cell)
    return cell
