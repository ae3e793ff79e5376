"""`rejection_resample`: a dataset whose classes appear with given probabilities.

Let p be the class probabilities in the data, t the wanted ones, and r = t / p. With probability min(r) the next element
is taken from the data directly, otherwise from the data filtered by class: class i is accepted with probability (r[i] -
min(r)) / (max(r) - min(r)). Together this gives t, and this choice rejects the fewest elements. If p is not given, it
is estimated from the counts so far, 32 elements at a time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.random.sampling import uniform
from reflow.core import dtypes
from reflow.data.elements import ElementMethods
from reflow.ops.convert import constant, convert_to_tensor

if TYPE_CHECKING:
    from reflow.data.dataset import DatasetV2

_BATCH = 32  # elements between two estimates
_FIRST_COUNT = 10  # what each class is taken to have been seen at the beginning


def _chances(initial, target):
    """(the probability to accept each class, the probability to take the data as they are)."""
    ratio = call("RealDiv", (target, call("AddV2", (initial, constant(np.finfo(np.float32).tiny, initial.dtype)))))
    low = call("Min", (ratio, constant([0])), {"keep_dims": False})
    high = call("Max", (ratio, constant([0])), {"keep_dims": False})
    return call("RealDiv", (call("Sub", (ratio, low)), call("Sub", (high, low)))), low


def _estimates(classes, count: int):
    """A dataset of the estimated distribution, one for each element of the dataset of classes."""

    def update(seen, batch):
        hot = call(
            "OneHot", (batch, constant(count), constant(1, dtypes.int64), constant(0, dtypes.int64)), {"axis": -1}
        )
        seen = call("AddV2", (seen, call("Sum", (hot, constant(0)), {"keep_dims": False})))
        share = lambda x: call("Cast", (x,), {"DstT": dtypes.float32})
        total = call("Sum", (seen, constant([0])), {"keep_dims": False})
        estimate = call("RealDiv", (share(seen), share(total)))
        return seen, call("Tile", (call("ExpandDims", (estimate, constant(0))), constant([_BATCH, 1])))

    first = constant(np.full(count, _FIRST_COUNT, np.int64))
    return classes.batch(_BATCH).scan(first, update).unbatch()


class ResampleMethods(ElementMethods):
    """`rejection_resample`."""

    def rejection_resample(self, class_func, target_dist, initial_dist=None, seed=None, name=None) -> DatasetV2:
        """Leaves out elements at random so that the classes appear with the probabilities `target_dist`.

        Args:
          class_func: A function from an element to its class, an int32 scalar.
          target_dist: The wanted probability of each class.
          initial_dist: The probability of each class in the data; it is estimated while reading where it is not given.
          seed: An integer that makes the choices repeatable.
          name: A name for the operation; used only where the data have the wanted distribution already.

        Returns:
          A dataset of pairs of a class and an element.

        >>> ds = tf.data.Dataset.from_tensor_slices([0, 0, 0, 1]).repeat(250)
        >>> ds = ds.rejection_resample(lambda x: x, target_dist=[0.5, 0.5], initial_dist=[0.75, 0.25], seed=1)
        >>> share = sum(int(c) for c, _ in ds) / len(list(ds))
        >>> 0.35 < share < 0.65
        True
        """
        make = self._class
        target = convert_to_tensor(target_dist, dtypes.float32)
        with_class = lambda *x: (class_func(*x), x[0] if len(x) == 1 else x)
        if initial_dist is None:
            initial = _estimates(self.map(class_func), target.shape[0])
            chances = initial.map(lambda p: _chances(p, target))
        else:
            known = convert_to_tensor(initial_dist, dtypes.float32)
            chances = make.from_tensors(_chances(known, target)).repeat()
            low = float(np.min(target.numpy() / (known.numpy() + np.finfo(np.float32).tiny)))
            if low >= 1:  # the data have the distribution already
                return self.map(with_class, name=name)

        def accept(chance, pair):
            index = pair[0]
            wanted = call("GatherV2", (chance[0], index, constant(0)), {})
            return call("Less", (uniform([], seed=seed, dtype=dtypes.float32), wanted))

        pairs = make.zip(chances, self.map(with_class))
        filtered = pairs.filter(accept).map(lambda _, pair: pair).prefetch(3)
        if initial_dist is not None and low == 0:
            return filtered
        one = constant(1.0)
        weights = chances.map(
            lambda _, p: call(
                "ExpandDims", (call("Pack", [p, call("Sub", (one, p))], {"N": 2, "axis": 0}), constant(0))
            )
        )
        return make.sample_from_datasets(
            [self.map(with_class), filtered], weights=weights, seed=seed, stop_on_empty_dataset=True
        )


@export("data.experimental.rejection_resample")
def rejection_resample(class_func, target_dist, initial_dist=None, seed=None):
    """Returns a transformation that calls `dataset.rejection_resample` with these arguments.

    Args:
      class_func: A function from an element to its class, an int32 scalar.
      target_dist: The wanted probability of each class.
      initial_dist: The probability of each class in the data; it is estimated while reading where it is not given.
      seed: An integer that makes the choices repeatable.

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    >>> ds = tf.data.Dataset.from_tensor_slices([0, 0, 0, 1] * 50)
    >>> ds = ds.apply(tf.data.experimental.rejection_resample(lambda x: x, [0.5, 0.5], seed=1))
    >>> ds.element_spec[0]
    TensorSpec(shape=(), dtype=tf.int32, name=None)
    """
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)
