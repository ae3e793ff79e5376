"""Methods of `tf.data.Dataset` that choose, repeat, reorder or hold back elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reflow.api.call import call
from reflow.core import dtypes, errors
from reflow.data import structure
from reflow.data.base import AUTOTUNE, Family, int64, seed_tensors
from reflow.data.functions import debugging
from reflow.data.options import Options
from reflow.ops.convert import convert_to_tensor

if TYPE_CHECKING:
    from reflow.data.dataset import DatasetV2


class OrderMethods(Family):
    """`take`, `skip`, `repeat`, `concatenate`, `shuffle`, `prefetch`, `cache`, `shard`, `enumerate`, options."""

    def take(self, count, name=None) -> DatasetV2:
        """Keeps only the first `count` elements.

        Args:
          count: How many elements to keep; -1 keeps all.
          name: A name for the operation.

        Returns:
          A dataset of at most `count` elements.

        >>> [int(x) for x in tf.data.Dataset.range(5).take(2)]
        [0, 1]
        """
        return self._then("TakeDataset", (int64(count, "count"),), name=name)

    def skip(self, count, name=None) -> DatasetV2:
        """Leaves out the first `count` elements.

        Args:
          count: How many elements to leave out; -1 leaves out all.
          name: A name for the operation.

        Returns:
          A dataset of the other elements.

        >>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
        [3, 4]
        """
        return self._then("SkipDataset", (int64(count, "count"),), name=name)

    def repeat(self, count=None, name=None) -> DatasetV2:
        """Goes through the dataset several times.

        Args:
          count: How many times; None and -1 mean without end.
          name: A name for the operation.

        Returns:
          A dataset of the elements of all passes.

        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return self._then("RepeatDataset", (int64(-1 if count is None else count, "count"),), name=name)

    def concatenate(self, dataset, name=None) -> DatasetV2:
        """Appends the elements of another dataset.

        Args:
          dataset: A dataset whose elements have the same structure and dtypes.
          name: A name for the operation.

        Returns:
          A dataset of the elements of both.

        Raises:
          TypeError: `dataset` is no dataset, or its elements do not fit.

        >>> [int(x) for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(1))]
        [0, 1, 0]
        """
        if not isinstance(dataset, Family):
            raise TypeError(f"`dataset` must be a `tf.data.Dataset`, received: {type(dataset)}")
        try:
            spec = structure.common(self.element_spec, dataset.element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Incompatible dataset elements:\n  {self.element_spec} vs.   {dataset.element_spec}"
            ) from error
        return self._make(
            "ConcatenateDataset", (self._variant_tensor, dataset._variant_tensor), spec, {}, (self, dataset), name
        )

    def enumerate(self, start=0, name=None) -> DatasetV2:
        """Pairs each element with a counter.

        Args:
          start: The number of the first element.
          name: A name for the operation.

        Returns:
          A dataset of pairs of an int64 scalar and an element.

        >>> [(int(i), int(x)) for i, x in tf.data.Dataset.range(5, 7).enumerate(1)]
        [(1, 5), (2, 6)]
        """
        counter = self._class.range(start, dtypes.int64.max, name=name)
        return self._class.zip(counter, self)

    def shard(self, num_shards, index, name=None) -> DatasetV2:
        """Keeps every `num_shards`-th element, so that several workers read different ones.

        Args:
          num_shards: How many shards there are.
          index: Which of them this is, from 0.
          name: A name for the operation.

        Returns:
          A dataset of the elements `index`, `index + num_shards`, and so on.

        Raises:
          InvalidArgumentError: `index` is not in `[0, num_shards)`.

        >>> [int(x) for x in tf.data.Dataset.range(5).shard(2, 1)]
        [1, 3]
        """
        return self._then("ShardDataset", (int64(num_shards, "num_shards"), int64(index, "index")), name=name)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None) -> DatasetV2:
        """Shuffles the elements by drawing each at random from a buffer that is filled from the input.

        With seeds the order is TensorFlow's.

        Args:
          buffer_size: The number of elements in the buffer; a perfect shuffle needs as many as the dataset has.
          seed: An integer that makes the order repeatable (together with `tf.random.set_seed`).
          reshuffle_each_iteration: Whether every pass has another order.
          name: A name for the operation.

        Returns:
          A dataset of the same elements in random order.

        Raises:
          InvalidArgumentError: `buffer_size` is not positive.

        >>> sorted(int(x) for x in tf.data.Dataset.range(3).shuffle(3, seed=1))
        [0, 1, 2]
        """
        reshuffle = True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)
        inputs = (int64(buffer_size, "buffer_size"), *seed_tensors(seed), call("DummySeedGenerator", ()))
        return self._then("ShuffleDatasetV3", inputs, {"reshuffle_each_iteration": reshuffle}, name=name)

    def prefetch(self, buffer_size, name=None) -> DatasetV2:
        """Makes elements ahead in a thread while earlier ones are being used.

        Args:
          buffer_size: How many elements may wait; `tf.data.AUTOTUNE` or None finds a number itself.
          name: A name for the operation.

        Returns:
          A dataset of the same elements.

        >>> [int(x) for x in tf.data.Dataset.range(2).prefetch(tf.data.AUTOTUNE)]
        [0, 1]
        """
        if debugging.on:
            return self  # type: ignore[return-value]  # the families are parts of it
        return self._then(
            "PrefetchDataset", (int64(AUTOTUNE if buffer_size is None else buffer_size, "buffer_size"),), name=name
        )

    def cache(self, filename="", name=None) -> DatasetV2:
        """Remembers the elements of the first whole pass, so that later passes do not compute them again.

        The files are read by later programs too: remove them when the pipeline before `cache` changes.

        Args:
          filename: What the names of the files begin with; by default the elements are kept in memory.
          name: A name for the operation.

        Returns:
          A dataset of the same elements.

        >>> [int(x) for x in tf.data.Dataset.range(2).cache()]
        [0, 1]
        """
        return self._then(
            "CacheDatasetV2", (convert_to_tensor(filename, dtypes.string), call("DummyMemoryCache", ())), name=name
        )

    def unique(self, name=None) -> DatasetV2:
        """Leaves out elements that have come before.

        Args:
          name: A name for the operation.

        Returns:
          A dataset of the distinct elements, in the order in which they first appear.

        Raises:
          InvalidArgumentError: An element has more than one component.
          TypeError: The elements are not int32, int64 or strings.

        >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique()]
        [1, 2]
        """
        leaves = structure.flat_specs(self.element_spec)
        if len(leaves) != 1:
            raise errors.InvalidArgumentError(None, None, "UniqueDataset only supports inputs with a single component.")
        if leaves[0].dtype not in (dtypes.int32, dtypes.int64, dtypes.string):
            raise TypeError(
                f"`tf.data.Dataset.unique` does not support type {leaves[0].dtype} -- only `tf.int32`, `tf.int64`, and "
                "`tf.string` are supported."
            )
        return self._then("UniqueDataset", (), name=name)

    def ignore_errors(self, log_warning=False, name=None) -> DatasetV2:
        """Leaves out elements whose computation fails.

        Args:
          log_warning: Whether each error is logged.
          name: A name for the operation.

        Returns:
          A dataset of the other elements.

        >>> ds = tf.data.Dataset.range(3).map(lambda i: tf.gather([5, 6], i))
        >>> len(list(ds.ignore_errors()))
        2
        """
        return self._then("IgnoreErrorsDataset", (), {"log_warning": bool(log_warning)}, name=name)

    def with_options(self, options, name=None) -> DatasetV2:
        """Sets options for this dataset, in addition to those it has.

        Args:
          options: A `tf.data.Options`; where both set an option, this one holds.
          name: A name for the operation.

        Returns:
          A dataset of the same elements.

        Raises:
          TypeError: `options` is of another class.

        >>> o = tf.data.Options(); o.deterministic = False
        >>> tf.data.Dataset.range(2).with_options(o).options().deterministic
        False
        """
        if not isinstance(options, Options):
            raise TypeError(f"`options` must be a `tf.data.Options`, received: {type(options)}")
        dataset = self._then("OptionsDataset", (), {"serialized_options": options._serialize()}, name=name)
        dataset._own_options = options
        return dataset

    def options(self):
        """Returns the options of this dataset and of its inputs, merged.

        Returns:
          A `tf.data.Options` that cannot be changed.
        """
        options = Options()
        for parent in self._parents:
            options = options.merge(parent.options())
        if self._own_options is not None:
            options = options.merge(self._own_options)
        options._set_mutable(False)
        return options
