"""`tf.queue`: the public queue classes. A queue's elements are tuples of tensors, or dictionaries if it has names."""

from __future__ import annotations

from collections.abc import Sequence

from reflow.api.array import arrange, indexing
from reflow.api.call import call
from reflow.api.export import export, with_sections
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.ops import random_state
from reflow.ops.convert import convert_to_tensor


def _as_types(given) -> list:
    return [dtypes.as_dtype(t) for t in (given if isinstance(given, (list, tuple)) else [given])]


def _as_shapes(given, types, unknown_dims: bool = False) -> list:
    if given is None:
        return [TensorShape(None) for _ in types]
    if not isinstance(given, (list, tuple)) or all(size is None or isinstance(size, int) for size in given):
        given = [given]  # one shape
    shapes = [TensorShape(s) for s in given]
    if len(shapes) != len(types):
        raise ValueError(
            f"Queue shapes must have the same length as dtypes, received len(shapes)={len(shapes)}, "
            f"len(dtypes)={len(types)}"
        )
    for shape in shapes:
        if not unknown_dims and not shape.is_fully_defined():
            raise ValueError(f"All shapes must be fully defined: {shapes}")
    return shapes


def _as_names(given, types):
    if given is None:
        return None
    names = [given] if isinstance(given, str) else list(given)
    if len(names) != len(types):
        raise ValueError(
            "List of names must have the same length as the list of dtypes, received "
            f"len(names)={len(names)},len(dtypes)={len(types)}"
        )
    return names


_ASKED = """\
Args:
  name: A name for the operation.

Returns:
  {result} scalar tensor.
"""


@export("queue.QueueBase", "compat.v1.QueueBase", "compat.v1.queue.QueueBase", "compat.v1.io.QueueBase")
class QueueBase:
    """A queue by its handle: what all kinds can do.

    Args:
      dtypes: the types of an element's components.
      shapes: their static shapes; without them elements cannot be dequeued in batches.
      names: names of the components: elements are dictionaries then.
      queue_ref: the tensor that holds the queue.

    >>> queue = tf.queue.FIFOQueue(3, tf.int32)
    >>> isinstance(queue, tf.queue.QueueBase)
    True
    >>> queue.enqueue(5)
    >>> queue.dequeue().numpy().item()
    5
    """

    def __init__(self, dtypes, shapes, names, queue_ref):
        self._dtypes, self._names = list(dtypes), names
        self._shapes = [TensorShape(s) for s in shapes] if shapes is not None else [TensorShape(None)] * len(dtypes)
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1] if state.graph is not None else "queue"

    def _create(self, op_name, types, shapes, names, name, attrs, shared_name):
        """What the constructor of a kind of queue does with checked types and shapes."""
        names = _as_names(names, types)
        QueueBase.__init__(self, types, shapes, names, _make(op_name, types, shapes, name, attrs, shared_name))

    queue_ref = property(lambda self: self._queue_ref, doc="The tensor that holds the queue.")
    name = property(
        lambda self: self._queue_ref.op.name if hasattr(self._queue_ref, "_graph") else self._name,
        doc="The name of the queue.",
    )
    dtypes = property(lambda self: self._dtypes, doc="The types of the components.")
    shapes = property(lambda self: self._shapes, doc="The shapes of the components.")
    names = property(lambda self: self._names, doc="The names of the components, or None.")

    @staticmethod
    def from_list(index, queues: Sequence[QueueBase]) -> QueueBase:
        """Returns the queue at a place in a list.

        Args:
          index: The place, which may be a tensor.
          queues: A list of queues with the same dtypes and names.

        Returns:
          A queue.

        Raises:
          TypeError: It is no list of queues, or they do not match.
        """
        if not queues or not isinstance(queues, list) or not all(isinstance(q, QueueBase) for q in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if not all(q.dtypes == first.dtypes for q in queues):
            raise TypeError("Queues do not have matching component dtypes.")
        if not all(q.names == first.names for q in queues):
            raise TypeError("Queues do not have matching component names.")
        shapes = [
            q if all(TensorShape(q) == TensorShape(o) for o in others) else TensorShape(None)
            for q, *others in zip(*(q.shapes for q in queues), strict=True)
        ]
        chosen = _chosen([q.queue_ref for q in queues], index)
        return QueueBase(first.dtypes, shapes, first.names, chosen)

    # --- in

    def enqueue(self, vals, name: str | None = None):
        """Adds one element; waits while the queue is full.

        Args:
          vals: A tensor, a list of the element's components, or a dictionary if the queue has names.
          name: A name for the operation.

        Returns:
          None; in a graph, the operation that does it.

        Raises:
          CancelledError: The queue is closed, or was closed while this waited.

        >>> q = tf.queue.FIFOQueue(3, "int32", shapes=[[]])
        >>> q.enqueue(7)
        >>> int(q.dequeue())
        7
        """
        vals = self._components(vals)
        for value, shape in zip(vals, self._shapes, strict=True):
            value.shape.assert_is_compatible_with(shape)
        label = name or f"{self._name}_enqueue"
        return self._done(call("QueueEnqueueV2", [self._queue_ref, *vals], {"Tcomponents": self._dtypes}, label))

    def enqueue_many(self, vals, name: str | None = None):
        """Adds the rows of tensors as elements, one after the other.

        Args:
          vals: As in `enqueue`, with one more axis at the front.
          name: A name for the operation.

        Returns:
          None; in a graph, the operation that does it.

        Raises:
          CancelledError: The queue is closed, or was closed while this waited.
        """
        vals = self._components(vals)
        for value, shape in zip(vals, self._shapes, strict=True):
            rows = value.shape.with_rank_at_least(1)
            rows[1:].assert_is_compatible_with(shape)
        label = name or f"{self._name}_EnqueueMany"
        return self._done(call("QueueEnqueueManyV2", [self._queue_ref, *vals], {"Tcomponents": self._dtypes}, label))

    def _components(self, vals) -> list[Tensor]:
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names) != sorted(vals.keys()):
                raise ValueError(
                    "Keys in dictionary to enqueue do not match names of Queue.  "
                    f"Dictionary: {sorted(vals.keys())},Queue: {sorted(self._names)}"
                )
            vals = [vals[k] for k in self._names]
        else:
            if self._names:
                raise ValueError("You must enqueue a dictionary in a Queue with names")
            if not isinstance(vals, (list, tuple)):
                vals = [vals]
        return [convert_to_tensor(value, dtype) for value, dtype in zip(vals, self._dtypes, strict=False)]

    # --- out

    def dequeue(self, name: str | None = None):
        """Takes the next element out; waits for one.

        Args:
          name: A name for the operation.

        Returns:
          A tensor, a list of tensors, or a dictionary if the queue has names.

        Raises:
          OutOfRangeError: The queue is closed and empty.
        """
        return self._dequeue("QueueDequeueV2", "Dequeue", (), self._shapes, name)

    def dequeue_many(self, n, name: str | None = None):
        """Takes the next elements out, and stacks them; waits for them.

        Args:
          n: How many.
          name: A name for the operation.

        Returns:
          As `dequeue`, with an axis of size `n` at the front.

        Raises:
          OutOfRangeError: The queue is closed and has fewer.
        """
        return self._dequeue("QueueDequeueManyV2", "DequeueMany", (n,), self._batched(n), name)

    def dequeue_up_to(self, n, name: str | None = None):
        """Takes the next elements out, and stacks them; fewer if the queue is closed and has no more.

        Args:
          n: How many at most.
          name: A name for the operation.

        Returns:
          As `dequeue`, with one more axis at the front.

        Raises:
          OutOfRangeError: The queue is closed and empty.
        """
        unknown = [TensorShape([None]).concatenate(s) for s in self._shapes]
        return self._dequeue("QueueDequeueUpToV2", "DequeueUpTo", (n,), unknown, name)

    def _batched(self, n) -> list:
        count = n if isinstance(n, int) else arrange.get_static_value(n) if isinstance(n, Tensor) else None
        return [TensorShape([None if count is None else int(count)]).concatenate(s) for s in self._shapes]

    def _dequeue(self, op, suffix, args, shapes, name):
        inputs = [self._queue_ref, *[convert_to_tensor(a, dtypes.int32) for a in args]]
        outputs = call(op, inputs, {"component_types": self._dtypes}, name or f"{self._name}_{suffix}")
        if state.graph is not None:
            for tensor, shape in zip(outputs, shapes, strict=True):
                tensor.set_shape(shape)
        return self._element(outputs)

    def _element(self, tensors):
        if self._names:
            return dict(zip(self._names, tensors, strict=True))
        return tensors[0] if len(tensors) == 1 else list(tensors)

    # --- the rest

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None):
        """Lets no more elements in. Those that are there can be taken out.

        Args:
          cancel_pending_enqueues: Whether enqueues that wait are cancelled; otherwise they go first.
          name: A name for the operation.

        Returns:
          None; in a graph, the operation that does it.
        """
        attrs = {"cancel_pending_enqueues": bool(cancel_pending_enqueues)}
        return self._done(call("QueueCloseV2", (self._queue_ref,), attrs, name or f"{self._name}_Close"))

    @with_sections(_ASKED, result="A bool")
    def is_closed(self, name: str | None = None):
        """Says whether the queue is closed."""
        return call("QueueIsClosedV2", (self._queue_ref,), {}, name or f"{self._name}_is_closed")

    @with_sections(_ASKED, result="An int32")
    def size(self, name: str | None = None):
        """Returns how many elements there are."""
        return call("QueueSizeV2", (self._queue_ref,), {}, name or f"{self._name}_Size")

    @staticmethod
    def _done(outputs):
        return None if state.graph is None else state.graph.nodes[-1]


def _chosen(handles, index):
    """One of several handles, by a number that may be a tensor."""
    if isinstance(index, int):
        return handles[index]
    return indexing.gather(arrange.stack(handles), index)


def _make(op: str, types, shapes, name: str, attrs: dict, shared_name):
    known = [] if all(s.rank is None for s in shapes) else [s._dims for s in shapes]
    named = {"shared_name": shared_name or "", "container": ""}
    return call(op, (), {"component_types": types, "shapes": known, **attrs, **named}, name)


@export("queue.FIFOQueue", "compat.v1.FIFOQueue", "compat.v1.queue.FIFOQueue")
class FIFOQueue(QueueBase):
    """A queue whose elements come out in the order in which they came in.

    Args:
      capacity: How many elements fit in.
      dtypes: The dtypes of an element's components, or one dtype.
      shapes: Their shapes, fully known; without them elements cannot be taken out in batches.
      names: Names of the components: elements are dictionaries then.
      shared_name: A name under which several sessions share the queue.
      name: A name for the operation.

    >>> q = tf.queue.FIFOQueue(10, ["int32", "string"], shapes=[[], []])
    >>> q.enqueue_many([[1, 2], ["a", "b"]])
    >>> [t.numpy().tolist() for t in q.dequeue_many(2)]
    [[1, 2], [b'a', b'b']]
    """

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None, name="fifo_queue"):
        types = _as_types(dtypes)
        shapes = _as_shapes(shapes, types)
        self._create("FIFOQueueV2", types, shapes, names, name, {"capacity": capacity}, shared_name)


@export(
    "queue.PaddingFIFOQueue", "compat.v1.PaddingFIFOQueue", "compat.v1.queue.PaddingFIFOQueue",
    "compat.v1.io.PaddingFIFOQueue",
)
class PaddingFIFOQueue(QueueBase):
    """A queue whose elements may differ in size: batches are filled up with zeros.

    Args:
      capacity: How many elements fit in.
      dtypes: The dtypes of an element's components, or one dtype.
      shapes: Their shapes; sizes that differ are None.
      names: Names of the components: elements are dictionaries then.
      shared_name: A name under which several sessions share the queue.
      name: A name for the operation.

    Raises:
      ValueError: `shapes` is None, or a rank is unknown.

    >>> q = tf.queue.PaddingFIFOQueue(10, "int32", shapes=[[None]])
    >>> for row in ([1], [2, 3]):
    ...     q.enqueue([row])
    >>> q.dequeue_many(2).numpy().tolist()
    [[1, 0], [2, 3]]
    """

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None, name="padding_fifo_queue"):
        types = _as_types(dtypes)
        if shapes is None or any(TensorShape(s).rank is None for s in shapes):
            raise ValueError("When providing partial shapes, a list of shapes must be provided.")
        shapes = _as_shapes(shapes, types, unknown_dims=True)
        self._create("PaddingFIFOQueueV2", types, shapes, names, name, {"capacity": capacity}, shared_name)


@export(
    "queue.RandomShuffleQueue", "compat.v1.RandomShuffleQueue", "compat.v1.queue.RandomShuffleQueue",
    "compat.v1.io.RandomShuffleQueue",
)
class RandomShuffleQueue(QueueBase):
    """A queue whose elements come out in a random order.

    Args:
      capacity: How many elements fit in.
      min_after_dequeue: How many elements stay in it while it is open, so that there is enough to choose from.
      dtypes: The dtypes of an element's components, or one dtype.
      shapes: Their shapes, fully known; without them elements cannot be taken out in batches.
      names: Names of the components: elements are dictionaries then.
      seed: An integer that makes the order repeatable.
      shared_name: A name under which several sessions share the queue.
      name: A name for the operation.

    >>> q = tf.queue.RandomShuffleQueue(10, 0, "int32", shapes=[[]], seed=1)
    >>> q.enqueue_many([[1, 2, 3]])
    >>> sorted(q.dequeue_many(3).numpy().tolist())
    [1, 2, 3]
    """

    def __init__(
        self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None, shared_name=None,
        name="random_shuffle_queue",
    ):
        types = _as_types(dtypes)
        shapes = _as_shapes(shapes, types)
        first, second = random_state.get_seed(seed)
        if shared_name and first is None and second is None:
            first, second = 0, abs(hash(shared_name)) % 2**31
        seeds = {"seed": first or 0, "seed2": second or 0}
        attrs = {"capacity": capacity, "min_after_dequeue": min_after_dequeue, **seeds}
        self._create("RandomShuffleQueueV2", types, shapes, names, name, attrs, shared_name)


@export(
    "queue.PriorityQueue", "compat.v1.PriorityQueue", "compat.v1.queue.PriorityQueue", "compat.v1.io.PriorityQueue"
)
class PriorityQueue(QueueBase):
    """A queue whose elements come out by their first component, an int64, the smallest first.

    Args:
      capacity: How many elements fit in.
      types: The dtypes of the other components, or one dtype.
      shapes: Their shapes, fully known; without them elements cannot be taken out in batches.
      names: Names of the components, the first one included: elements are dictionaries then.
      shared_name: A name under which several sessions share the queue.
      name: A name for the operation.

    >>> q = tf.queue.PriorityQueue(10, "string", shapes=[[]])
    >>> q.enqueue_many([[2, 1], ["late", "soon"]])
    >>> q.dequeue()[1].numpy()
    b'soon'
    """

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None, name="priority_queue"):
        types = _as_types(types)
        shapes = _as_shapes(shapes, types)
        ref = _make("PriorityQueueV2", types, shapes, name, {"capacity": capacity}, shared_name)
        all_types = [dtypes.int64, *types]
        all_shapes = [TensorShape([]), *shapes] if shapes else shapes
        super().__init__(all_types, all_shapes, _as_names(names, all_types), ref)


