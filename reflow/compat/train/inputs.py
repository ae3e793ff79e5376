"""Queue-based input pipelines: producers of file names and numbers, and batches of what was read.

A *producer* is a queue that a thread fills with the elements of a tensor, for each epoch. A *batch* is taken from a
queue that threads fill with the results of reading and decoding.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

from reflow.api.array import arrange, creation, indexing
from reflow.api.control.printing import assert_, group
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math import arithmetic
from reflow.api.random import sampling
from reflow.compat import summary
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.graph_variables import VariableV1
from reflow.compat.train.queue_runners import QueueRunner, add_queue_runner
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.function.control_flow import cond
from reflow.io.files import matching_files
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import run
from reflow.queues.public import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue


def _refuse_eager(what: str):
    if state.graph is None:
        raise RuntimeError(
            f"{what} is not supported when eager execution is enabled. Please use tf.data to ingest "
            "data into your model instead."
        )


@export("io.match_filenames_once", "compat.v1.train.match_filenames_once", "compat.v1.io.match_filenames_once")
def match_filenames_once(pattern, name=None):
    """Creates a local variable with the names of the files that match a pattern, looked up when it is initialised.

    Args:
      pattern: A pattern as in `tf.io.matching_files`, or a list of them.
      name: A name for the variable.

    Returns:
      A variable of strings.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(folder + "/a.csv", "1")
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     files = tf.io.match_filenames_once(folder + "/*.csv")
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     len(session.run(files))
    1
    """
    return VariableV1(
        lambda: matching_files(pattern), trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], validate_shape=False,
        name=name or "matching_filenames",
    )


@export("compat.v1.train.limit_epochs")
def limit_epochs(tensor, num_epochs=None, name=None):
    """The tensor, `num_epochs` times; then OutOfRangeError. The count is a local variable.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     once = tf.compat.v1.train.limit_epochs(tf.constant([1, 2]), num_epochs=1)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     session.run(once).tolist()
    ...     try:
    ...         session.run(once)
    ...     except tf.errors.OutOfRangeError:
    ...         print("one epoch is over")
    [1, 2]
    one epoch is over
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with get_default_graph().scope(name or "limit_epochs"):
        epochs: Any = VariableV1(
            constant(0, dtypes.int64), name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES]
        )
        counted = run("ResourceCountUpTo", epochs.handle, limit=num_epochs, T=dtypes.int64)
        with control_dependencies([counted]):
            return arrange.identity(convert_to_tensor(tensor), name=name)


@export("compat.v1.train.input_producer")
def input_producer(
    input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None,
    summary_name=None, name=None, cancel_op=None,
):
    """A queue with the rows of a tensor, epoch after epoch; a queue runner fills it.

    >>> with tf.Graph().as_default():
    ...     queue = tf.compat.v1.train.input_producer([[1, 2], [3, 4]], shuffle=False)
    ...     row = queue.dequeue()
    ...     with tf.compat.v1.train.MonitoredSession() as session:      # starts the threads that fill the queue
    ...         [session.run(row).tolist() for _ in range(3)]
    [[1, 2], [3, 4], [1, 2]]
    """
    _refuse_eager("Input pipelines based on Queues")
    with get_default_graph().scope(name or "input_producer") as scope:
        tensor = convert_to_tensor(input_tensor)
        element = tensor.shape[1:].merge_with(TensorShape(element_shape))
        if not element.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified"
            )
        if shuffle:
            tensor = sampling.shuffle(tensor, seed=seed)
        tensor = limit_epochs(tensor, num_epochs)
        queue = FIFOQueue(capacity, [tensor.dtype], [element], shared_name=shared_name, name=scope)
        filling = queue.enqueue_many([tensor])
        add_queue_runner(QueueRunner(queue, [filling], cancel_op=cancel_op))
        if summary_name is not None:
            summary.scalar(summary_name, arithmetic.cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue


@export("compat.v1.train.string_input_producer")
def string_input_producer(
    string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None, cancel_op=None
):
    """A queue with strings, such as the names of files, epoch after epoch.

    >>> with tf.Graph().as_default():
    ...     queue = tf.compat.v1.train.string_input_producer(["a.txt", "b.txt"], shuffle=False)
    ...     name = queue.dequeue()
    ...     with tf.compat.v1.train.MonitoredSession() as session:      # starts the threads that fill the queue
    ...         [session.run(name) for _ in range(3)]
    [b'a.txt', b'b.txt', b'a.txt']
    """
    _refuse_eager("Input pipelines based on Queues")
    complaint = "string_input_producer requires a non-null input tensor"
    if not isinstance(string_tensor, Tensor) and not hasattr(string_tensor, "handle") and not string_tensor:
        raise ValueError(complaint)
    with get_default_graph().scope(name or "input_producer") as scope:
        strings = convert_to_tensor(string_tensor, dtypes.string)
        with control_dependencies([assert_(arithmetic.greater(arrange.size(strings), 0), [complaint])]):
            strings = arrange.identity(strings)
        return input_producer(
            strings, [], num_epochs, shuffle, seed, capacity, shared_name, f"fraction_of_{capacity}_full", scope,
            cancel_op,
        )


@export("compat.v1.train.range_input_producer")
def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None):
    """A queue with the integers from 0 to `limit` - 1, epoch after epoch.

    >>> with tf.Graph().as_default():
    ...     queue = tf.compat.v1.train.range_input_producer(2, shuffle=False)
    ...     number = queue.dequeue()
    ...     with tf.compat.v1.train.MonitoredSession() as session:      # starts the threads that fill the queue
    ...         [session.run(number).item() for _ in range(3)]
    [0, 1, 0]
    """
    with get_default_graph().scope(name or "input_producer") as scope:
        numbers = creation.range(limit)
        return input_producer(
            numbers, [], num_epochs, shuffle, seed, capacity, shared_name, f"fraction_of_{capacity}_full", scope
        )


@export("compat.v1.train.slice_input_producer")
def slice_input_producer(
    tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32, shared_name=None, name=None
):
    """One row of each tensor of a list, a different one at each step.

    >>> with tf.Graph().as_default():
    ...     x, label = tf.compat.v1.train.slice_input_producer([[1.0, 2.0], ["a", "b"]], shuffle=False)
    ...     with tf.compat.v1.train.MonitoredSession() as session:      # starts the threads that fill the queue
    ...         [session.run([x, label])[1] for _ in range(3)]
    [b'a', b'b', b'a']
    """
    with get_default_graph().scope(name or "input_producer"):
        tensors = [convert_to_tensor(t) for t in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        rows = arrange.shape(tensors[0])[0]
        place = range_input_producer(rows, num_epochs, shuffle, seed, capacity, shared_name).dequeue()
        return [indexing.gather(t, place) for t in tensors]


# --- batches ----------------------------------------------------------------------------------------------------------


class _Batch:
    """The arguments that all batching functions share, and what follows from them."""

    def __init__(self, lists, enqueue_many, shapes, keep_input):
        _refuse_eager("Input pipelines based on Queues")
        self.original = lists[0]
        if not lists or not all(lists):
            raise ValueError(
                "Expected at least one set of tensors" if not lists else "Expected at least one tensor in batch()."
            )
        self.lists = [[convert_to_tensor(t) for t in _values(tensors)] for tensors in lists]
        first = self.lists[0]
        for other in self.lists[1:]:
            if [t.dtype for t in other] != [t.dtype for t in first]:
                raise TypeError(
                    f"Expected types to be consistent: {', '.join(t.dtype.name for t in first)} vs. "
                    f"{', '.join(t.dtype.name for t in other)}."
                )
        self.many, self.keep = enqueue_many, keep_input
        self.types = [t.dtype for t in first]
        self.shapes = _element_shapes(self.lists, shapes, enqueue_many)

    def fill(self, queue, threads: int):
        """Let threads add the tensors to a queue: `threads` for one list, or one for each of several."""
        operations = [self._enqueue(queue, tensors) for tensors in self.lists]
        runs = operations * threads if len(operations) == 1 else operations
        add_queue_runner(QueueRunner(queue, runs))

    def _enqueue(self, queue, tensors):
        keep = self.keep
        if keep is True:
            return queue.enqueue_many(tensors) if self.many else queue.enqueue(tensors)
        keep = convert_to_tensor(keep, dtypes.bool_)
        if keep.shape.rank == 1:
            if not self.many:
                raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
            chosen = indexing.boolean_mask
            return queue.enqueue_many([chosen(t, keep) for t in tensors])

        def add():
            with control_dependencies([queue.enqueue_many(tensors) if self.many else queue.enqueue(tensors)]):
                return constant(True)

        return group(cond(keep, add, lambda: constant(False)))

    def take(self, queue, batch_size, smaller, name):
        """A batch out of the queue, in the form in which the tensors were given."""
        taken = queue.dequeue_up_to(batch_size, name=name) if smaller else queue.dequeue_many(batch_size, name=name)
        parts = taken if isinstance(taken, list) else [taken]
        if isinstance(self.original, dict):
            return dict(zip(sorted(self.original), parts, strict=True))
        return parts[0] if len(parts) == 1 else parts


def _values(tensors) -> list:
    if isinstance(tensors, dict):
        return [tensors[k] for k in sorted(tensors)]
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def _element_shapes(lists, shapes, enqueue_many) -> list:
    if shapes is not None:
        return [TensorShape(s) for s in shapes]
    merged = []
    for parts in zip(*lists, strict=True):
        found = [p.shape[1:] if enqueue_many and p.shape.rank is not None else p.shape for p in parts]
        common = found[0]
        for other in found[1:]:
            common = common.most_specific_compatible_shape(other)
        merged.append(common)
    return merged


def _full(queue, capacity, least=None):
    """A summary of how full a queue is."""
    if least is None:
        share = arithmetic.cast(queue.size(), dtypes.float32) * (1.0 / capacity)
        summary.scalar(f"fraction_of_{capacity}_full", share)
        return
    free = arithmetic.cast(arithmetic.maximum(0, queue.size() - least), dtypes.float32)
    summary.scalar(f"fraction_over_{least}_of_{capacity - least}_full", free * (1.0 / (capacity - least)))


def _batches(
    label, batch_size, capacity, enqueue_many, shapes, allow_smaller_final_batch, shared_name, name, tensors=None,
    tensors_list=None, keep_input=True, num_threads=1, dynamic_pad=False, min_after_dequeue=None, seed=None,
):
    """A batch out of a queue of `tensors`, or of each of `tensors_list`; in random order with `min_after_dequeue`."""
    with get_default_graph().scope(name or label) as scope:
        parts = _Batch([tensors] if tensors_list is None else list(tensors_list), enqueue_many, shapes, keep_input)
        types = {"dtypes": parts.types, "shapes": parts.shapes, "shared_name": shared_name}
        queue: QueueBase
        if min_after_dequeue is not None:
            queue = RandomShuffleQueue(capacity, min_after_dequeue, seed=seed, **types)
        else:
            queue = (PaddingFIFOQueue if dynamic_pad else FIFOQueue)(capacity, **types)
        parts.fill(queue, num_threads)
        _full(queue, capacity, min_after_dequeue)
        return parts.take(queue, batch_size, allow_smaller_final_batch, scope)


def _batching(label):
    """A decorator for a function that only declares its arguments: they are `_batches`' by name.

    `label` names its ops.
    """

    def implement(declared):
        signature = inspect.signature(declared)

        @functools.wraps(declared)
        def function(*args, **kwargs):
            given = signature.bind(*args, **kwargs)
            given.apply_defaults()
            return _batches(label, **given.arguments)

        return function

    return implement


@export("compat.v1.train.batch")
@_batching("batch")
def batch(
    tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
    allow_smaller_final_batch=False, shared_name=None, name=None,
):
    """Batches of tensors (a list or dictionary), through a queue that threads fill.

    >>> with tf.Graph().as_default():
    ...     (x,) = tf.compat.v1.train.slice_input_producer([[1, 2, 3, 4]], shuffle=False)
    ...     pairs = tf.compat.v1.train.batch([x], batch_size=2)
    ...     with tf.compat.v1.train.MonitoredSession() as session:      # starts the threads that fill the queue
    ...         session.run(pairs).tolist()
    [1, 2]
    """


@export("compat.v1.train.maybe_batch")
@_batching("batch")
def maybe_batch(
    tensors, keep_input, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
    allow_smaller_final_batch=False, shared_name=None, name=None,
):
    """Batches of those tensors for which `keep_input` is true.

    >>> with tf.Graph().as_default():
    ...     x = tf.compat.v1.train.range_input_producer(6, shuffle=False).dequeue()
    ...     even = tf.compat.v1.train.maybe_batch({"x": x}, tf.equal(x % 2, 0), batch_size=3)
    ...     with tf.compat.v1.train.SingularMonitoredSession() as session:
    ...         session.run(even)["x"].tolist()
    [0, 2, 4]
    """


@export("compat.v1.train.batch_join")
@_batching("batch_join")
def batch_join(
    tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
    allow_smaller_final_batch=False, shared_name=None, name=None,
):
    """Batches of several lists of tensors; each list has its own thread.

    >>> with tf.Graph().as_default():
    ...     both = tf.compat.v1.train.batch_join([[tf.constant(1)], [tf.constant(1)]], batch_size=3)
    ...     with tf.compat.v1.train.MonitoredSession() as session:      # starts the threads that fill the queue
    ...         session.run(both).tolist()
    [1, 1, 1]
    """


@export("compat.v1.train.maybe_batch_join")
@_batching("batch_join")
def maybe_batch_join(
    tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False, shapes=None, dynamic_pad=False,
    allow_smaller_final_batch=False, shared_name=None, name=None,
):
    """Batches of several lists of tensors, of those for which `keep_input` is true.

    >>> with tf.Graph().as_default():
    ...     both = tf.compat.v1.train.maybe_batch_join(
    ...         [[tf.constant(1)], [tf.constant(1)]], keep_input=True, batch_size=3)
    ...     with tf.compat.v1.train.MonitoredSession() as session:      # starts the threads that fill the queue
    ...         set(session.run(both).tolist())
    {1}
    """


@export("compat.v1.train.shuffle_batch")
@_batching("shuffle_batch")
def shuffle_batch(
    tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None, enqueue_many=False, shapes=None,
    allow_smaller_final_batch=False, shared_name=None, name=None,
):
    """Batches of tensors in a random order, through a queue that threads fill.

    >>> with tf.Graph().as_default():
    ...     (x,) = tf.compat.v1.train.slice_input_producer([[1, 2, 3, 4]])
    ...     pairs = tf.compat.v1.train.shuffle_batch([x], batch_size=2, capacity=8, min_after_dequeue=4)
    ...     with tf.compat.v1.train.MonitoredSession() as session:      # starts the threads that fill the queue
    ...         session.run(pairs).shape
    (2,)
    """


@export("compat.v1.train.maybe_shuffle_batch")
@_batching("shuffle_batch")
def maybe_shuffle_batch(
    tensors, batch_size, capacity, min_after_dequeue, keep_input, num_threads=1, seed=None, enqueue_many=False,
    shapes=None, allow_smaller_final_batch=False, shared_name=None, name=None,
):
    """Batches, in a random order, of those tensors for which `keep_input` is true.

    >>> with tf.Graph().as_default():
    ...     (x,) = tf.compat.v1.train.slice_input_producer([[1, 2, 3, 4]])
    ...     even = tf.compat.v1.train.maybe_shuffle_batch(
    ...         [x], 2, capacity=8, min_after_dequeue=4, keep_input=tf.equal(x % 2, 0))
    ...     with tf.compat.v1.train.MonitoredSession() as session:      # starts the threads that fill the queue
    ...         set((session.run(even) % 2).tolist())
    {0}
    """


@export("compat.v1.train.shuffle_batch_join")
@_batching("shuffle_batch_join")
def shuffle_batch_join(
    tensors_list, batch_size, capacity, min_after_dequeue, seed=None, enqueue_many=False, shapes=None,
    allow_smaller_final_batch=False, shared_name=None, name=None,
):
    """Batches, in a random order, of several lists of tensors; each list has its own thread.

    >>> with tf.Graph().as_default():
    ...     both = tf.compat.v1.train.shuffle_batch_join(
    ...         [[tf.constant(1)], [tf.constant(1)]], 3, capacity=8, min_after_dequeue=4)
    ...     with tf.compat.v1.train.MonitoredSession() as session:      # starts the threads that fill the queue
    ...         len(session.run(both))
    3
    """


@export("compat.v1.train.maybe_shuffle_batch_join")
@_batching("shuffle_batch_join")
def maybe_shuffle_batch_join(
    tensors_list, batch_size, capacity, min_after_dequeue, keep_input, seed=None, enqueue_many=False, shapes=None,
    allow_smaller_final_batch=False, shared_name=None, name=None,
):
    """Batches, in a random order, of those of several lists of tensors for which `keep_input` is true.

    >>> with tf.Graph().as_default():
    ...     lists = [[tf.constant(1)], [tf.constant(1)]]
    ...     both = tf.compat.v1.train.maybe_shuffle_batch_join(
    ...         lists, 3, capacity=8, min_after_dequeue=4, keep_input=True)
    ...     with tf.compat.v1.train.MonitoredSession() as session:      # starts the threads that fill the queue
    ...         session.run(both).max().item()
    1
    """
