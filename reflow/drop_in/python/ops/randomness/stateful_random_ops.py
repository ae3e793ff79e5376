"""`tensorflow.python.ops.stateful_random_ops`: numbers that no seed repeats."""

from __future__ import annotations

from typing import Any

from reflow.api.array import arrange, creation
from reflow.api.math import arithmetic
from reflow.api.random.generator import _signed, _state_size
from reflow.api.random.sampling import Algorithm
from reflow.api.random.sampling import shape_tensor as _shape_tensor  # noqa: F401 - its name here
from reflow.api.raw_ops import raw_ops
from reflow.core import dtypes, nest
from reflow.core.tensor import EagerTensor, Tensor
from reflow.distribute.strategy import get_replica_context


def non_deterministic_ints(shape: Any, dtype: Any = dtypes.int64) -> Any:
    """Random integers from all of a dtype, different in each run."""
    return raw_ops.NonDeterministicInts(shape=shape, dtype=dtype)


def get_replica_id() -> Any:
    """The number of the replica that runs this line; None outside of replicas."""
    context = get_replica_context()
    return None if context is None else context.replica_id_in_sync_group


def _uint_to_int(n: Any) -> Any:
    """A number of 64 bits as a signed one; anything else as it is."""
    return _signed(n) if isinstance(n, int) and n >= 2**63 else n


def _make_1d_state(state_size: int, seed: Any) -> Any:
    """A vector of int64 from a number, whose lowest 64 bits come first, or from a vector: it is cut or filled up with
    zeros in front."""
    if isinstance(seed, int):
        seed = [seed >> 64 * word & 2**64 - 1 for word in range(state_size)]
    state = arrange.reshape(_convert_to_state_tensor(seed), [-1])[:state_size]
    size = arrange.shape(state)[0] if state.shape[0] is None else state.shape[0]
    state = arrange.concat([creation.zeros([arithmetic.maximum(state_size - size, 0)], state.dtype), state], 0)
    return arrange.ensure_shape(state, [state_size])


def _get_state_size(alg: Any) -> int:
    """How many numbers the state of an algorithm has.

    Raises:
        ValueError: there is no such algorithm.
    """
    return _state_size(Algorithm(alg).value)


def _get_counter_size(alg: Any) -> int:
    """How many of them count: all but the key."""
    return _get_state_size(alg) - 1


def _check_state_shape(shape: Any, alg: Any) -> None:
    """Raise unless a state has as many numbers as its algorithm needs, which a tensor of a graph does not tell."""
    if not isinstance(alg, Tensor) or isinstance(alg, EagerTensor):
        shape.assert_is_compatible_with([_get_state_size(int(alg))])


def _make_state_from_seed(seed: Any, alg: Any) -> Any:
    """The state of an algorithm that begins with a seed."""
    return _make_1d_state(_get_state_size(alg), seed)


def _convert_to_state_tensor(t: Any) -> Any:
    """Numbers as a tensor of int64; those above the largest wrap around."""
    return arithmetic.cast(nest.map_structure(_uint_to_int, t), dtypes.int64)
