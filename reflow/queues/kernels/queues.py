"""Ops on queues (`reflow/queues/queues.py`).

The oldest ones, whose handles are strings, are the same under other names.
"""

from __future__ import annotations

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.resources import shared
from reflow.ops import opdef
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op
from reflow.queues import queues


def queue_op(name: str, shape=rules.no_outputs, **facts):
    """Register an op that may change every resource that it is given: a size is that of a moment, too."""
    handles = tuple(a.name for a in opdef.lookup(name).inputs if a.type == "DT_RESOURCE")
    return op(name, shape=shape, grad=NO_GRADIENT, host=True, effect=True, writes=handles, **facts)


def _of(handle):
    """The queue behind a handle, which may have been taken out of a tensor of handles (`QueueBase.from_list`)."""
    return handle.item() if isinstance(handle, np.ndarray) else handle


def _dims(shapes) -> list:
    return list(shapes or ())


# --- making -----------------------------------------------------------------------------------------------------------


def _fifo(_, component_types, shapes=(), capacity=-1, container="", shared_name=""):
    return shared(
        container, shared_name, lambda: queues.Queue(capacity, component_types, _dims(shapes), shared_name)
    )


def _padding(_, component_types, shapes=(), capacity=-1, container="", shared_name=""):
    return shared(
        container, shared_name, lambda: queues.PaddingQueue(capacity, component_types, _dims(shapes), shared_name)
    )


def _shuffle(
    _, component_types, shapes=(), capacity=-1, min_after_dequeue=0, seed=0, seed2=0, container="", shared_name=""
):
    def make():
        return queues.ShuffleQueue(
            capacity, min_after_dequeue, component_types, _dims(shapes), seed, seed2, shared_name
        )

    return shared(container, shared_name, make)


def _priority(_, shapes, component_types=(), capacity=-1, container="", shared_name=""):
    def make():
        types = [dtypes.int64, *component_types]
        return queues.SortedQueue(capacity, types, [(), *_dims(shapes)] if shapes else [], shared_name)

    return shared(container, shared_name, make)


for _name, _kernel in {
    "FIFOQueue": _fifo,
    "PaddingFIFOQueue": _padding,
    "RandomShuffleQueue": _shuffle,
    "PriorityQueue": _priority,
}.items():
    queue_op(f"{_name}V2", rules.scalar)(_kernel)
    queue_op(_name, lambda f: [(2,)])(_kernel)


# --- in ---------------------------------------------------------------------------------------------------------------


def _enqueue(_, handle, components, timeout_ms=-1):
    _no_timeout(timeout_ms)
    _of(handle).enqueue(components)
    return ()


def _enqueue_many(_, handle, components, timeout_ms=-1):
    _no_timeout(timeout_ms)
    _of(handle).enqueue_many(components)
    return ()


def _no_timeout(timeout_ms):
    if timeout_ms != -1:
        raise errors.InvalidArgumentError(None, None, "Timeout not supported yet.")


def _close(_, handle, cancel_pending_enqueues=False):
    _of(handle).close(cancel_pending_enqueues)
    return ()


# --- out --------------------------------------------------------------------------------------------------------------


def _checked(handle, component_types):
    queue = _of(handle)
    if list(component_types) != queue.types:
        raise queues.invalid(
            f"Dequeue: the queue holds {[t.name for t in queue.types]}, asked for {[t.name for t in component_types]}"
        )
    return queue


def _dequeue(_, handle, component_types, timeout_ms=-1):
    _no_timeout(timeout_ms)
    queue = _checked(handle, component_types)
    return queue.dequeue()


def _dequeue_many(_, handle, n, component_types, timeout_ms=-1):
    _no_timeout(timeout_ms)
    queue = _checked(handle, component_types)
    if n < 0:
        raise queues.invalid(f"DequeueManyOp requested {n} < 0 elements")
    return queue.dequeue_many(int(n))


def _dequeue_up_to(_, handle, n, component_types, timeout_ms=-1):
    _no_timeout(timeout_ms)
    queue = _checked(handle, component_types)
    if n < 0:
        raise queues.invalid(f"DequeueUpToOp requested {n} < 0 elements")
    return queue.dequeue_many(int(n), least=1)


def _unknown(f):
    return [None] * len(f.attrs["component_types"])


def _is_closed(_, handle):
    return np.asarray(_of(handle).closed)


def _size(_, handle):
    return np.asarray(len(_of(handle)), np.int32)


#: op -> kernel, shape rule, and whether it may wait for an element to come
_OPS = {
    "QueueEnqueue": (_enqueue, rules.no_outputs, False),
    "QueueEnqueueMany": (_enqueue_many, rules.no_outputs, False),
    "QueueClose": (_close, rules.no_outputs, False),
    "QueueDequeue": (_dequeue, _unknown, True),
    "QueueDequeueMany": (_dequeue_many, _unknown, True),
    "QueueDequeueUpTo": (_dequeue_up_to, _unknown, True),
    "QueueSize": (_size, rules.scalar, False),
}
for _name, (_kernel, _shape, _waits) in _OPS.items():
    queue_op(_name, _shape, overlaps=_waits)(_kernel)
    queue_op(f"{_name}V2", _shape, overlaps=_waits)(_kernel)
queue_op("QueueIsClosed", rules.scalar)(_is_closed)
queue_op("QueueIsClosedV2", rules.scalar)(_is_closed)


@queue_op("FakeQueue", rules.unknown)
def fake_queue(_, resource):
    """The handle of a queue as older ops take it."""
    return resource
