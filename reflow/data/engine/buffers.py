"""Datasets that buffer elements: shuffle, prefetch, cache, and the source of random numbers.

The order of `shuffle` is TensorFlow's: a buffer of fixed size, from which a word of a Philox stream picks the next
element. The two seeds of an iterator's stream come from the dataset's *seed generator*: it returns its own seeds each
time, or (`reshuffle_each_iteration`) the next two words of its own stream. The kernels pass in a function that creates
the streams, `words(seed, seed2)`: an iterator over 32-bit words with `skip`.

`prefetch` runs its input on a thread, from the second element on. The thread references the `Channel`, never the
iterator, so dropping the iterator closes the channel, and the thread ends. Channels still open at exit are closed then.
"""

from __future__ import annotations

import atexit
import collections
import itertools
import os
import threading
import weakref
from collections.abc import Iterator

import numpy as np

from reflow.core import errors
from reflow.data.engine.values import AUTOTUNE, INFINITE, UNKNOWN, DatasetIterator, DatasetValue
from reflow.eager.mirrors import send_ahead

# --- shuffle --------------------------------------------------------------------------------------------------------


class SeedGenerator:
    """Gives each new iterator of a dataset its seeds."""

    def __init__(self, words, seed: int, seed2: int, fresh_each_time: bool):
        self.words, self.seeds, self.fresh = words, (seed, seed2), fresh_each_time
        self.drawn = 0
        self.stream = words(seed, seed2) if fresh_each_time else None
        self.lock = threading.Lock()

    def next_seeds(self) -> tuple[int, int]:
        if not self.fresh:
            return self.seeds
        with self.lock:
            self.drawn += 2
            return next(self.stream), next(self.stream)  # type: ignore[arg-type]

    def restore(self, drawn: int):
        if self.fresh:
            with self.lock:
                self.drawn = drawn
                self.stream = self.words(*self.seeds)
                self.stream.skip(drawn)


class ShuffleIterator(DatasetIterator):
    """`buffer` is filled up before each draw; the drawn element's place is taken by the buffer's first element.

    The buffer is a ring in TensorFlow; here `first` is where it begins, and places are counted from the first element
    ever.
    """

    def __init__(self, dataset):
        self.dataset = dataset
        self.input = dataset.inputs[0].iterate()
        self.buffer: dict = {}
        self.first = self.end = 0  # places of the held elements: [first, end)
        self.ended = False
        self.seeds = dataset.generator.next_seeds()
        self.stream = dataset.generator.words(*self.seeds)

    def __next__(self):
        size, buffer = self.dataset.size, self.buffer
        while not self.ended and self.end - self.first < size:
            try:
                buffer[self.end] = next(self.input)
                self.end += 1
            except StopIteration:
                self.ended = True
        first = self.first
        if first == self.end:
            raise StopIteration
        place = first + next(self.stream) % (self.end - first)
        element = buffer[place]
        buffer[place] = buffer[first]
        del buffer[first]
        self.first = first + 1
        return element

    def state(self):
        return {
            "input": self.input.state(),
            "buffer": dict(self.buffer),
            "first": self.first,
            "end": self.end,
            "ended": self.ended,
            "seeds": self.seeds,
            "generator": self.dataset.generator.drawn,
        }

    def restore(self, state):
        self.input.restore(state["input"])
        self.buffer = dict(state["buffer"])
        self.first, self.end, self.ended, self.seeds = (state[k] for k in ("first", "end", "ended", "seeds"))
        self.stream = self.dataset.generator.words(*self.seeds)
        self.stream.skip(self.first)  # one word for each element given
        self.dataset.generator.restore(state["generator"])


class IndexShuffleIterator(DatasetIterator):
    """`shuffle` of a source whose rows are known by their indices: the buffer holds indices, in the same order as
    elements.

    Index k enters the buffer at place k. So `window` is the indices of the places from `first` on, as draws have left
    them, and the next draw is among the first `size` of them. Draws are made ahead, `drawn` waits to be given.
    """

    children = ()
    in_memory = True
    CHUNK = 8192

    def __init__(self, dataset):
        self.dataset = dataset
        self.source = dataset.inputs[0]
        self.rows = self.source.rows
        self.first = self.entered = 0  # draws made, and indices that entered the window
        self.window: list[int] = []
        self.drawn = np.zeros(0, np.int64)
        self.at = 0
        self.seeds = dataset.generator.next_seeds()
        self.stream = dataset.generator.words(*self.seeds)

    def _draw(self) -> bool:
        total, size = self.source.cardinality(), self.dataset.size
        count = min(self.CHUNK, total - self.first)
        if not count:
            return False
        last = min(self.first + count + size, total)
        window = self.window
        window += range(self.entered, last)
        self.entered = max(self.entered, last)
        spans = np.minimum(size, total - np.arange(self.first, self.first + count))
        places = np.arange(count) + self.stream.block(count) % spans
        out = []
        for here, place in enumerate(places.tolist()):
            out.append(window[place])
            window[place] = window[here]
        del window[:count]
        self.first += count
        self.drawn, self.at = np.array(out), 0
        return True

    def __next__(self):
        if self.at >= len(self.drawn) and not self._draw():
            raise StopIteration
        self.at += 1
        return self.source.get(int(self.drawn[self.at - 1]))

    def next_block(self, count: int):
        """Up to `count` elements, stacked: gathered from the source by one copy."""
        parts = []
        while count:
            if self.at >= len(self.drawn) and not self._draw():
                break
            part = self.drawn[self.at : self.at + count]
            self.at += len(part)
            count -= len(part)
            parts.append(part)
        if not parts:
            return 0, []
        indices = np.concatenate(parts) if len(parts) > 1 else parts[0]
        return len(indices), self.rows(indices)

    def skip(self, count):
        done = 0
        while done < count and (self.at < len(self.drawn) or self._draw()):
            step = min(count - done, len(self.drawn) - self.at)
            self.at += step
            done += step
        return done

    def state(self):
        return {
            "first": self.first,
            "entered": self.entered,
            "window": np.array(self.window, np.int64),
            "drawn": self.drawn[self.at :].copy(),
            "seeds": self.seeds,
            "generator": self.dataset.generator.drawn,
        }

    def restore(self, state):
        self.first, self.entered, self.seeds = state["first"], state["entered"], state["seeds"]
        self.window, self.drawn, self.at = state["window"].tolist(), np.array(state["drawn"]), 0
        self.stream = self.dataset.generator.words(*self.seeds)
        self.stream.skip(self.first)
        self.dataset.generator.restore(state["generator"])


class Shuffle(DatasetValue):
    version = "V3"
    passes_batches = True

    def iterate(self):
        indexed = callable(getattr(self.inputs[0], "rows", None)) and self.cardinality() >= 0
        return IndexShuffleIterator(self) if indexed else ShuffleIterator(self)

    def __init__(self, source, size: int, generator: SeedGenerator):
        if size == UNKNOWN:  # as many as there are
            size = 2**62
        if size <= 0:
            raise errors.InvalidArgumentError(
                None, None, "buffer_size must be greater than zero or UNKNOWN_CARDINALITY"
            )
        self.inputs, self.size, self.generator = (source,), size, generator
        self.order: list[int] | None = None

    def get(self, index):
        """In a whole permutation, which differs from the order of an iterator, as TensorFlow's does."""
        if self.order is None:
            self.order = permutation(self.generator.words(*self.generator.seeds), self.cardinality())
        return self.inputs[0].get(self.order[index])


def permutation(words, size: int) -> list[int]:
    """The numbers below `size` in the order given by random words."""
    order = list(range(size))
    for at in range(size):
        other = at + next(words) % (size - at)
        order[at], order[other] = order[other], order[at]
    return order


class RandomIterator(DatasetIterator):
    saved = ("drawn",)
    children = ()
    drawn = 0

    def __init__(self, dataset):
        super().__init__(dataset)
        self.seeds = dataset.generator.next_seeds()
        self.stream = dataset.generator.words(*self.seeds)

    def __next__(self):
        self.drawn += 1
        return [np.array(next(self.stream), np.int64)]

    def state(self):
        return {"drawn": self.drawn, "seeds": self.seeds, "generator": self.dataset.generator.drawn}

    def restore(self, state):
        self.drawn, self.seeds = state["drawn"], state["seeds"]
        self.stream = self.dataset.generator.words(*self.seeds)
        self.stream.skip(self.drawn)
        self.dataset.generator.restore(state["generator"])


class Random(DatasetValue):
    """Random 32-bit numbers without end."""

    iterator = RandomIterator

    def __init__(self, generator: SeedGenerator):
        self.generator = generator

    def cardinality(self):
        return INFINITE


# --- prefetch -------------------------------------------------------------------------------------------------------

_MAX_AUTOTUNED = 16


class Channel:
    """What the producing thread and the iterator share: a queue of (element, error) pairs, with a limit."""

    def __init__(self, source, limit: int, tuned: bool, budget: int = 0):
        self.source, self.limit, self.tuned, self.budget = source, limit, tuned, budget
        self.queue: collections.deque = collections.deque()
        self.ended = self.closed = False
        self.filled = False  # the queue was full since the last time it was found empty
        self.most: int | None = None  # how far the limit may grow, known when the first element is
        self.changed = threading.Condition()
        self.busy = threading.Lock()  # held while the source is read
        self.thread: threading.Thread | None = None

    def start(self):
        self.thread = threading.Thread(target=_produce, args=(self,), name="reflow-prefetch", daemon=True)
        _open_channels.add(self)
        self.thread.start()

    def close(self):
        """Ask the thread to end.

        Called by any thread, also by the garbage collector: so it only sets a flag and wakes.
        """
        self.closed = True
        with self.changed:
            self.changed.notify_all()

    def get(self):
        try:
            element, error = self._next()
        # an interrupt struck while `wait` took the lock again: nothing is held, and the interrupt is told
        except RuntimeError as lost:
            raise (lost.__context__ or lost) from None
        if error is not None:
            raise error
        return element

    def waiting(self) -> Iterator[list]:
        """The elements in the queue. Nothing happens until the first one is requested."""
        with self.changed:
            elements = [element for element, error in self.queue if error is None]
        yield from elements

    def _next(self) -> tuple:
        """The first pair of the queue, as soon as there is one."""
        with self.changed:
            if not self.queue and self.tuned and self.filled:
                self.limit, self.filled = min(2 * self.limit, self.most or self.limit), False
            while not self.queue and not self.ended:
                self.changed.wait()
            if not self.queue:
                raise StopIteration
            element, error = self.queue.popleft()
            if self.most is None and error is None:
                self.most = max(self.limit, min(_MAX_AUTOTUNED, self.budget // max(1, _size(element))))
            self.changed.notify_all()
            return element, error


def _size(element: list) -> int:
    """The bytes of an element's arrays."""
    return sum(getattr(value, "nbytes", 0) for value in element)


def _half_of_memory() -> int:
    """What queues that tune themselves may hold if the options do not say it: half of the memory that is free now."""
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2


_open_channels: weakref.WeakSet[Channel] = weakref.WeakSet()


def _produce(channel: Channel):
    """The thread's loop: read the source until it ends or is no longer needed."""
    while True:
        with channel.changed:
            while len(channel.queue) >= channel.limit and not channel.closed:
                channel.filled = True
                channel.changed.wait()
            if channel.closed:
                break
        with channel.busy:
            if channel.closed:
                break
            item: tuple | None = None
            try:
                element = next(channel.source)
                send_ahead(itertools.chain(channel.waiting(), [element]))
                item = (element, None)
                del element
            except StopIteration:
                pass
            except BaseException as error:  # delivered to the consumer, in order
                item = (None, error)
            with channel.changed:
                if item is None:
                    channel.ended = True
                else:
                    channel.queue.append(item)
                channel.changed.notify_all()
            if item is None:
                break
            del item
    channel.source = None if channel.closed else channel.source


@atexit.register
def _close_channels():
    channels = list(_open_channels)
    for channel in channels:
        channel.close()
    for channel in channels:
        # an interrupt may have kept it from starting
        if channel.thread is not None and channel.thread.ident is not None:
            channel.thread.join(1.0)


class PrefetchIterator(DatasetIterator):
    children = ()

    def __init__(self, dataset):
        self.dataset = dataset
        self.input = dataset.inputs[0].iterate()
        self.waiting: list = []  # elements of a restored queue
        self.channel: Channel | None = None

    def _open(self, ended: bool = False):
        """Let a thread read the rest, unless the input has ended."""
        limit = self.dataset.limit
        tuned = limit == AUTOTUNE
        budget = self.dataset.budget or _half_of_memory() if tuned else 0
        channel = self.channel = Channel(self.input, 2 if tuned else limit, tuned, budget)
        channel.queue.extend(self.waiting)
        self.input = None  # the channel's from now on
        if ended:
            channel.ended = True
        else:
            weakref.finalize(self, channel.close).atexit = False
            channel.start()
        return channel

    def __next__(self):
        if self.channel is not None:
            return self.channel.get()
        if self.waiting:
            return self._open().get()
        # The first element is read here, and the thread has begun when there may be a second one: it takes 60 us to
        # begin, and 150 us more to wait for an element of it.
        try:
            element = next(self.input)
        except StopIteration:
            self._open(ended=True)
            raise
        if self.dataset.inputs[0].cardinality() != 1:
            self._open()
        return element

    def start_ahead(self):
        if self.channel is None:
            self._open()

    def state(self):
        channel = self.channel
        if channel is None:
            return {"waiting": list(self.waiting), "input": self.input.state(), "ended": False}
        with channel.busy, channel.changed:
            return {"waiting": list(channel.queue), "input": channel.source.state(), "ended": channel.ended}

    def restore(self, state):
        if self.channel is not None:
            self.channel.close()
            self.channel = None
        self.input = self.dataset.inputs[0].iterate()
        self.input.restore(state["input"])
        self.waiting = list(state["waiting"])


class Prefetch(DatasetValue):
    """The input, read ahead by a thread: up to `limit` elements, -1 for what it takes within a `budget` of bytes."""

    passes_batches = True
    budget = 0  # 0 for half of the free memory

    def __init__(self, source, limit: int):
        if limit < AUTOTUNE:
            raise errors.InvalidArgumentError(
                None, None, "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning"
            )
        self.inputs, self.limit = (source,), limit

    def iterate(self):
        return PrefetchIterator(self) if self.limit else self.inputs[0].iterate()

    def get(self, index):
        return self.inputs[0].get(index)


class InjectedPrefetch(Prefetch):
    """An automatic prefetch. Its thread helps only if the pipeline releases the GIL; otherwise it would cost."""

    name = "Prefetch"

    def iterate(self):
        return super().iterate() if _overlaps(self.inputs[0]) else self.inputs[0].iterate()


def _overlaps(stage: DatasetValue) -> bool:
    return getattr(stage, "overlaps", False) or any(map(_overlaps, stage.inputs))


# --- cache ----------------------------------------------------------------------------------------------------------


class CacheIterator(DatasetIterator):
    """Reads the cache where it is complete, else the input, and completes the cache at its end."""

    saved = ("seen", "position", "complete")

    def __init__(self, dataset):
        self.dataset = dataset
        self.seen: list = []
        self.position = 0
        self.complete = False
        self.input = None

    def __next__(self):
        dataset = self.dataset
        if self.input is None and not self.complete:
            if dataset.memory.elements is not None:
                self.complete = True
            else:
                self.input = dataset.inputs[0].iterate()
        if self.complete:
            if self.position >= len(dataset.memory.elements):
                raise StopIteration
            self.position += 1
            return dataset.memory.elements[self.position - 1]
        try:
            element = next(self.input)
        except StopIteration:
            if dataset.memory.elements is None:
                dataset.memory.elements = self.seen
            self.complete, self.position, self.input = True, len(self.seen), None
            raise
        self.seen.append(element)
        return element

    def state(self):
        state = {
            "seen": list(self.seen),
            "position": self.position,
            "complete": self.complete,
            "input": self.input and self.input.state(),
        }
        if self.complete:
            state["seen"] = list(self.dataset.memory.elements)
        return state

    def restore(self, state):
        self.seen, self.position, self.complete = list(state["seen"]), state["position"], state["complete"]
        self.input = None
        if self.complete:
            if self.dataset.memory.elements is None:
                self.dataset.memory.elements = list(self.seen)
        elif state["input"] is not None:
            self.input = self.dataset.inputs[0].iterate()
            self.input.restore(state["input"])


class CacheMemory:
    """What a cache holds, for all copies of its stage."""

    def __init__(self):
        self.elements: list | None = None  # of the first whole pass
        self.read: dict[int, list] = {}  # elements that were asked for by their index


class Cache(DatasetValue):
    """The elements of the input's first whole pass, in memory."""

    symbolic = False
    passes_batches = True
    iterator = CacheIterator

    def __init__(self, source):
        self.inputs, self.memory = (source,), CacheMemory()

    def label(self, of):
        return "MemoryCacheImpl"

    def get(self, index):
        memory = self.memory
        if memory.elements is not None:
            return memory.elements[index]
        if index not in memory.read:
            memory.read[index] = self.inputs[0].get(index)
        return memory.read[index]
