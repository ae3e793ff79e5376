"""`tensorflow.python.distribute.cross_device_utils`.

Sums, quotients and copies of dense and sparse values; keys of collectives.
"""

import collections
import threading

from reflow.api.array.arrange import concat, identity
from reflow.api.config import device as device_scope
from reflow.api.math.arithmetic import add_n
from reflow.core.indexed_slices import IndexedSlices
from reflow.distribute.values import DistributedValues


class CollectiveKeys:
    """Numbers of groups of devices, and of the collectives in each group. All devices of a group count alike."""

    def __init__(self, group_key_start=1):
        self._next_group, self._first_instance = group_key_start, 100
        self._groups: dict[str, int] = {}
        self._instances: dict[tuple[int, str], int] = collections.defaultdict(lambda: self._first_instance)
        self._lock = threading.Lock()

    def get_group_key(self, devices):
        """The number of a group of devices, the same for the same devices."""
        name = ",".join(devices)
        with self._lock:
            if name not in self._groups:
                self._groups[name] = self._next_group
                self._next_group += 1
            return self._groups[name]

    def get_instance_key(self, group_key, device):
        """The number of the next collective of a device in a group."""
        with self._lock:
            if group_key not in self._groups.values():
                raise ValueError(f"Group {group_key} is not found.")
            key = self._instances[group_key, device]
            self._instances[group_key, device] = key + 1
            return key

    def __deepcopy__(self, memo):
        copied = CollectiveKeys(self._next_group)
        copied._groups, copied._first_instance = dict(self._groups), self._first_instance
        copied._instances.update(self._instances)
        return copied


def is_indexed_slices(value) -> bool:
    """Whether a value, or each of a distributed one, is an `IndexedSlices`."""
    if isinstance(value, DistributedValues):
        return all(isinstance(v, IndexedSlices) for v in value.values)
    return isinstance(value, IndexedSlices)


def aggregate_tensors_or_indexed_slices(values, accumulation_fn=add_n):
    """The sum of tensors; of sparse values, all their slices."""
    if not any(isinstance(v, IndexedSlices) for v in values):
        return accumulation_fn(values)
    rows = [v for v in values if isinstance(v, IndexedSlices)]
    return IndexedSlices(concat([v.values for v in rows], 0), concat([v.indices for v in rows], 0), rows[0].dense_shape)


def divide_by_n_tensors_or_indexed_slices(value, n):
    """A value divided by a number."""
    if not isinstance(value, IndexedSlices):
        return value / n
    return IndexedSlices(value.values / n, value.indices, value.dense_shape)


def copy_tensor_or_indexed_slices_to_device(value, device):
    """A copy of a value, or of the primary one of a distributed value, on a device."""
    if isinstance(value, DistributedValues):
        value = value._primary
    with device_scope(device):
        if not isinstance(value, IndexedSlices):
            return identity(value)
        shape = None if value.dense_shape is None else identity(value.dense_shape)
        return IndexedSlices(identity(value.values), identity(value.indices), shape)


def group_by_size(input_tensors, bytes_per_pack):
    """Lists of tensors, in order, of more than `bytes_per_pack` bytes each but the last.

    All are in one if a size is unknown, or it is 0.
    """
    if bytes_per_pack == 0 or not all(t.shape.is_fully_defined() for t in input_tensors):
        return [input_tensors]
    packs: list[list] = []
    size = bytes_per_pack + 1
    for tensor in input_tensors:
        if size > bytes_per_pack:
            packs.append([])
            size = 0
        packs[-1].append(tensor)
        size += tensor.shape.num_elements() * tensor.dtype.size
    return packs


def split_by_sparsity(values):
    """(dense values, their places, sparse values, their places) of a list."""
    places = [[i for i, v in enumerate(values) if is_indexed_slices(v) is sparse] for sparse in (False, True)]
    dense, sparse = ([values[i] for i in found] for found in places)
    return dense, places[0], sparse, places[1]


def stitch_values(values_and_indices_list):
    """One list of several, given with the places of their values in it."""
    found = {i: v for values, indices in values_and_indices_list for v, i in zip(values, indices, strict=True)}
    if sorted(found) != list(range(len(found))):
        raise ValueError(f"The places {sorted(found)} are not those of one list.")
    return [found[i] for i in range(len(found))]
