"""Ops on stacks and barriers (`reflow/queues/stacks.py`).

The oldest ones, whose handles are strings, are the same under other names.
"""

from __future__ import annotations

import numpy as np

from reflow.core.resources import shared
from reflow.ops import shape_rules as rules
from reflow.ops.registry import also_called
from reflow.queues import stacks
from reflow.queues.kernels.queues import queue_op
from reflow.queues.queues import invalid

# --- stacks -----------------------------------------------------------------------------------------------------------


@queue_op("StackV2", rules.scalar)
def stack(_, max_size, elem_type, stack_name=""):
    return stacks.Stack(elem_type, int(max_size), stack_name)


@queue_op("Stack", lambda f: [(2,)])
def old_stack(_, elem_type, stack_name=""):
    return stacks.Stack(elem_type, -1, stack_name)


@queue_op("StackPushV2", lambda f: [f.shapes[1]])
def stack_push(_, handle, elem):
    handle.push(elem)
    return elem


@queue_op("StackPopV2", lambda f: [None])
def stack_pop(_, handle):
    return handle.pop()


@queue_op("StackCloseV2")
def stack_close(_, handle):
    handle.close()
    return ()


for _record in (stack_push, stack_pop, stack_close):
    also_called(_record.name.removesuffix("V2"), _record, writes=())

# --- barriers ---------------------------------------------------------------------------------------------------------


@queue_op("Barrier", lambda f: [(2,)])
def barrier(_, component_types, shapes=(), capacity=-1, container="", shared_name=""):
    return shared(container, shared_name, lambda: stacks.Barrier(list(component_types), list(shapes), shared_name))


@queue_op("BarrierInsertMany")
def barrier_insert_many(_, handle, keys, values, component_index):
    if keys.shape[:1] != values.shape[:1]:
        raise invalid(
            f"Number of keys ({keys.size}) does not match number of values ({values.shape[0] if values.ndim else 0})"
        )
    if not 0 <= component_index < len(handle.types):
        raise invalid(f"The component ID is out of range {component_index} > num_components (= {len(handle.types)})")
    handle.insert(keys.reshape(-1).tolist(), values, component_index)
    return ()


@queue_op("BarrierTakeMany", lambda f: [(None,), (None,), *[None] * len(f.attrs["component_types"])], overlaps=True)
def barrier_take_many(_, handle, num_elements, component_types, allow_small_batch=False):
    taken = handle.take(int(num_elements), allow_small_batch)
    turns, keys, elements = ([e[i] for e in taken] for i in range(3))
    columns = zip(*elements, strict=True)
    return np.array(turns, np.int64), np.array(keys, object), *(np.stack(parts) for parts in columns)


@queue_op("BarrierClose")
def barrier_close(_, handle, cancel_pending_enqueues=False):
    handle.close(cancel_pending_enqueues)
    return ()


@queue_op("BarrierReadySize", rules.scalar)
def barrier_ready_size(_, handle):
    return np.asarray(len(handle.ready), np.int32)


@queue_op("BarrierIncompleteSize", rules.scalar)
def barrier_incomplete_size(_, handle):
    return np.asarray(len(handle.incomplete), np.int32)
