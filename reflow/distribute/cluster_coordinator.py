"""`tf.distribute.coordinator.ClusterCoordinator`: runs functions on any available worker.

`schedule` traces a function here and puts it into a queue as a *closure*: the function with its arguments. A thread per
worker takes closures from the queue and sends them. If a worker does not answer, its closure goes back to the front of
the queue, and its thread waits until the worker's address responds again. As in TensorFlow, a closure may run twice if
a worker dies between finishing it and replying. An error inside a closure empties the queue, and is raised by the next
`schedule` or `join`.
"""

from __future__ import annotations

import collections
import functools
import itertools
import threading
import weakref
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.core import errors, nest
from reflow.core.context import new_id, state
from reflow.core.resources import Handle
from reflow.core.shapes import TensorShape
from reflow.core.tensor import EagerTensor, Tensor
from reflow.data.iterators import IteratorSpec, OwnedIterator
from reflow.distribute.parameter_server import ParameterServerStrategyV2
from reflow.distribute.processes import answers
from reflow.distribute.remote import RemoteHandle, RemoteResource, Shipped
from reflow.function.function import Function
from reflow.ops.convert import convert_to_tensor

#: seconds between two looks whether a worker is back
LOOK_AGAIN = 0.1


@export("distribute.coordinator.RemoteValue", "distribute.experimental.coordinator.RemoteValue")
class RemoteValue:
    """What a scheduled function will return.

    >>> isinstance(tf.constant(1), tf.distribute.coordinator.RemoteValue)
    False
    """

    def __init__(self):
        self._done = threading.Event()
        self._values: Any = None
        self._error: BaseException | None = None

    def _set(self, values=None, error=None):
        self._values, self._error = values, error
        self._done.set()

    def get(self):
        """Waits for the result.

        Returns:
          The result, as tensors.
        """
        self._done.wait()
        if self._error is not None:
            raise self._error
        return self._values

    def fetch(self):
        """Waits for the result.

        Returns:
          The result, as NumPy values.
        """
        return nest.map_structure(lambda x: x.numpy() if isinstance(x, Tensor) else x, self.get())


@export("distribute.coordinator.PerWorkerValue", "distribute.experimental.coordinator.PerWorkerValues")
class PerWorkerValues:
    """Holds a value for each worker; a scheduled function gets its worker's value.

    Args:
      values: The values, one for each worker.

    >>> values = tf.distribute.coordinator.PerWorkerValue((tf.constant(1), tf.constant(2)))
    """

    def __init__(self, values):
        self._values = tuple(values)


class _WorkerIndex(EagerTensor):
    """Represents the worker's number in a function: each worker gets its own number in its place."""

    __slots__ = ()
    always_captured = True
    shape = property(lambda self: TensorShape([]))

    def __init__(self):
        super().__init__(np.zeros([], np.int64))

    @property
    def _value(self):
        raise RuntimeError(
            "Cannot retrieve the worker index. `get_worker_idx_and_num_workers` should be called from within a "
            "tf.function being executed on a worker. This method should only be called from either a dataset_fn that "
            "is passed into `ClusterCoordinator.create_per_worker_dataset`, or a tf.function that is passed into "
            "`ClusterCoordinator.schedule`."
        )

    @_value.setter
    def _value(self, value):
        """Does nothing: the index is read from the worker, so there is no value to keep."""


@functools.cache
def _worker_index() -> _WorkerIndex:
    """Made when it is first asked for: a tensor starts the runtime, after which logical devices cannot be set."""
    return _WorkerIndex()


@export("distribute.coordinator.experimental_get_current_worker_index")
def experimental_get_current_worker_index():
    """Returns the number of the worker that runs a function, in that function.

    Returns:
      An int64 scalar tensor.

    Raises:
      RuntimeError: outside of a function, or in one that no worker runs.

    >>> try:
    ...     tf.distribute.coordinator.experimental_get_current_worker_index()
    ... except RuntimeError as error:
    ...     print(str(error)[:33])
    Cannot retrieve the worker index.
    """
    if state.graph is None:
        return _worker_index()._value  # raises
    return state.graph.capture(_worker_index())


class _Closed:
    """A function with what it captured, as workers get it."""

    def __init__(self, concrete):
        self.concrete, self._shipped = concrete, Shipped(concrete.graph)

    def run(self, index: int, address: str, arguments, keep: str = "") -> list:
        """Run it on a worker."""
        return self._shipped.run(address, [*arguments, *self._captured(index)], keep)

    def _captured(self, index: int) -> list:
        values = [np.asarray(index) if isinstance(t, _WorkerIndex) else t._value for t in self.concrete.captured_inputs]
        for value in values:
            if isinstance(value, Handle) and not isinstance(value, RemoteHandle):
                raise ValueError(
                    f"The variable {value.name!r} was not created in the scope of the "
                    "ParameterServerStrategy: workers cannot reach it."
                )
        return values


class PerWorkerIterator:
    """An iterator on each worker; to a scheduled function it is its worker's."""

    def __init__(self, dataset: PerWorkerDataset):
        self._dataset, self._key = dataset, f"iterator/{new_id()}"
        self._there: set[str] = set()

    element_spec = property(lambda self: self._dataset.element_spec)

    def __iter__(self):
        return self

    def __next__(self):
        raise NotImplementedError("The elements are on the workers: call `next` in a function that `schedule` runs.")

    def on(self, index: int, address: str) -> RemoteResource:
        """The iterator of a worker, made when it is first needed."""
        if address not in self._there:
            self._dataset.shipped.run(index, address, [], keep=self._key)
            self._there.add(address)
        return RemoteResource(address, self._key)

    def lost(self, address: str):
        """The worker was restarted."""
        self._there.discard(address)


class PerWorkerDataset:
    """A dataset that every worker makes for itself."""

    def __init__(self, dataset_fn):
        def make():
            dataset = dataset_fn() if callable(dataset_fn) else dataset_fn
            self.element_spec = dataset.element_spec
            return OwnedIterator(dataset)._iterator_resource

        self.shipped = _Closed(Function(make).get_concrete_function())

    def __iter__(self):
        return PerWorkerIterator(self)


class _Closure:
    def __init__(self, shipped: _Closed, arguments: list):
        self.shipped, self.arguments, self.result = shipped, arguments, RemoteValue()

    def run(self, index: int, address: str):
        values = []
        for argument in self.arguments:
            if isinstance(argument, PerWorkerValues):
                argument = argument._values[index]
            if isinstance(argument, PerWorkerIterator):
                argument = argument.on(index, address)
            elif isinstance(argument, RemoteValue):
                argument = argument.get()
            values.append(argument._value if isinstance(argument, EagerTensor) else argument)
        results = iter(self.shipped.run(index, address, values))
        structure = self.shipped.concrete.graph.structured_outputs
        self.result._set(
            nest.map_structure(lambda x: None if x is None else convert_to_tensor(next(results)), structure)
        )

    def lost(self, address: str):
        for argument in self.arguments:
            if isinstance(argument, PerWorkerIterator):
                argument.lost(address)


class _Queue:
    """Closures that wait, how many are under way, and the first error."""

    def __init__(self):
        self.waiting: collections.deque[_Closure] = collections.deque()
        self.running, self.error, self.closed = 0, None, False
        self.changed = threading.Condition()

    def put(self, closure: _Closure):
        with self.changed:
            self._raise()
            self.waiting.append(closure)
            self.changed.notify_all()

    def take(self) -> _Closure | None:
        with self.changed:
            self.changed.wait_for(lambda: self.waiting or self.closed)
            if self.closed:
                return None
            self.running += 1
            return self.waiting.popleft()

    def end(self, back: _Closure | None = None, error: BaseException | None = None):
        """A closure is done, goes back, or has failed."""
        with self.changed:
            self.running -= 1
            if back is not None:
                self.waiting.appendleft(back)
            if error is not None and self.error is None:
                self.error = error
                for closure in self.waiting:
                    closure.result._set(
                        error=errors.CancelledError(None, None, "Another function failed before this one ran.")
                    )
                self.waiting.clear()
            self.changed.notify_all()

    def idle(self) -> bool:
        return not self.waiting and not self.running

    def wait(self):
        with self.changed:
            self.changed.wait_for(self.idle)
            self._raise()

    def _raise(self):
        if self.error is not None:
            error, self.error = self.error, None
            raise error

    def close(self):
        with self.changed:
            self.closed = True
            self.changed.notify_all()


def _serve(queue: _Queue, index: int, address: str):
    """Run closures on one worker, until the coordinator is gone."""
    while (closure := queue.take()) is not None:
        try:
            closure.run(index, address)
        except errors.UnavailableError as error:
            if f"server at {address} " not in error.message:  # a parameter server is gone, with its variables
                closure.result._set(error=error)
                queue.end(error=error)
                continue
            closure.lost(address)
            queue.end(back=closure)
            while not queue.closed and not answers(address):
                threading.Event().wait(LOOK_AGAIN)
        except Exception as error:  # raised in the program's own thread
            closure.result._set(error=error)
            queue.end(error=error)
        else:
            queue.end()


@export("distribute.coordinator.ClusterCoordinator", "distribute.experimental.coordinator.ClusterCoordinator")
class ClusterCoordinator:
    """Gives functions to the workers of a `tf.distribute.ParameterServerStrategy`. There is one for a strategy.

    Args:
      strategy: The strategy.

    Raises:
      ValueError: The strategy is another one.

    >>> spec = tf.train.ClusterSpec({"ps": ["127.0.0.1:2222"], "worker": ["127.0.0.1:2223"]})
    >>> strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.SimpleClusterResolver(spec))
    >>> tf.distribute.coordinator.ClusterCoordinator(strategy).done()
    True
    """

    def __new__(cls, strategy):
        known = getattr(strategy, "_coordinator", None)
        return super().__new__(cls) if known is None else known

    def __init__(self, strategy):
        if getattr(self, "_queue", None) is not None:
            return
        if not isinstance(strategy, ParameterServerStrategyV2):
            raise ValueError(
                "Only `tf.distribute.experimental.ParameterServerStrategy` is supported to work with "
                f"`ClusterCoordinator`. Received: {strategy!r}"
            )
        strategy._coordinator = self
        self._strategy, self._queue = strategy, _Queue()
        # a Python function -> its `tf.function`
        self._functions: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()
        self._shipped: dict[int, _Closed] = {}
        for number, address in zip(itertools.count(), strategy.extended._workers.values()):
            thread = threading.Thread(target=_serve, args=(self._queue, number, address), daemon=True)
            thread.name = f"reflow-worker-{number}"
            thread.start()
        weakref.finalize(self, self._queue.close)

    strategy = property(lambda self: self._strategy)

    def schedule(self, fn, args=None, kwargs=None) -> RemoteValue:
        """Runs a function on some worker; returns at once.

        Args:
          fn: A function, or a `tf.function`.
          args: Its positional arguments.
          kwargs: Its keyword arguments.

        Returns:
          A `RemoteValue` that will hold the result.

        Raises:
          Exception: What a function that was scheduled before has raised.
        """
        args, kwargs = tuple(args or ()), dict(kwargs or {})
        if not isinstance(fn, Function):
            if not callable(fn):
                raise TypeError(f"`fn` must be a function. Received: {fn!r}")
            if fn not in self._functions:
                self._functions[fn] = Function(fn)
            fn = self._functions[fn]
        concrete = fn.get_concrete_function(*nest.map_structure(_spec, args), **nest.map_structure(_spec, kwargs))
        shipped = self._shipped.get(id(concrete))
        if shipped is None:
            shipped = self._shipped[id(concrete)] = _Closed(concrete)  # keeps the trace, and so its id, alive
        arguments = [x for x in nest.flatten((args, kwargs)) if _travels(x)]
        closure = _Closure(shipped, [convert_to_tensor(x) if isinstance(x, np.ndarray) else x for x in arguments])
        self._queue.put(closure)
        return closure.result

    def join(self):
        """Waits until all scheduled functions are done; raises what one of them raised."""
        self._queue.wait()

    def done(self) -> bool:
        """Says whether all scheduled functions are done; raises what one of them raised.

        Returns:
          A bool.
        """
        with self._queue.changed:
            self._queue._raise()
            return self._queue.idle()

    def create_per_worker_dataset(self, dataset_fn):
        """Makes a dataset on every worker.

        Args:
          dataset_fn: A function without arguments that returns a dataset.

        Returns:
          A dataset whose iterator is an argument of scheduled functions.
        """
        return PerWorkerDataset(dataset_fn)

    def fetch(self, val):
        """Waits for the results of scheduled functions.

        Args:
          val: A `RemoteValue`, or a nested structure of them.

        Returns:
          The same structure, with NumPy values.
        """
        return nest.map_structure(lambda x: x.fetch() if isinstance(x, RemoteValue) else x, val)


def _travels(x) -> bool:
    return isinstance(x, (Tensor, np.ndarray, PerWorkerIterator, PerWorkerValues, RemoteValue))


def _spec(x):
    """The spec for tracing a function: the first worker's value represents all."""
    if isinstance(x, PerWorkerValues):
        x = x._values[0]
    if isinstance(x, PerWorkerIterator):
        return IteratorSpec(x.element_spec)
    return x.get() if isinstance(x, RemoteValue) else x
