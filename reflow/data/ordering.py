"""Methods of `tf.data.Dataset` that choose, repeat, reorder or hold back elements."""

from __future__ import annotations

from reflow.api.call import call
from reflow.core import dtypes, errors
from reflow.data import structure
from reflow.data.base import AUTOTUNE, Family, int64, seed_tensors
from reflow.data.functions import debugging
from reflow.data.options import Options
from reflow.ops.convert import convert_to_tensor


class OrderMethods(Family):
    """`take`, `skip`, `repeat`, `concatenate`, `shuffle`, `prefetch`, `cache`, `shard`, `enumerate`, options."""

    def take(self, count, name=None):
        """The first `count` elements; all of them if it is -1.

        >>> [int(x) for x in tf.data.Dataset.range(5).take(2)]
        [0, 1]
        """
        return self._then("TakeDataset", (int64(count, "count"),), name=name)

    def skip(self, count, name=None):
        """The elements after the first `count`; none if it is -1.

        >>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
        [3, 4]
        """
        return self._then("SkipDataset", (int64(count, "count"),), name=name)

    def repeat(self, count=None, name=None):
        """The dataset `count` times; without end if it is None or -1.

        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return self._then("RepeatDataset", (int64(-1 if count is None else count, "count"),), name=name)

    def concatenate(self, dataset, name=None):
        """This dataset's elements, then those of another one.

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

    def enumerate(self, start=0, name=None):
        """Pairs of a counter and an element.

        >>> [(int(i), int(x)) for i, x in tf.data.Dataset.range(5, 7).enumerate(1)]
        [(1, 5), (2, 6)]
        """
        counter = self._class.range(start, dtypes.int64.max, name=name)
        return self._class.zip(counter, self)

    def shard(self, num_shards, index, name=None):
        """Every `num_shards`-th element, from `index` on.

        >>> [int(x) for x in tf.data.Dataset.range(5).shard(2, 1)]
        [1, 3]
        """
        return self._then("ShardDataset", (int64(num_shards, "num_shards"), int64(index, "index")), name=name)

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=True, name=None):
        """The elements in random order, drawn from a buffer of `buffer_size`. With seeds the order is TensorFlow's.

        >>> sorted(int(x) for x in tf.data.Dataset.range(3).shuffle(3, seed=1))
        [0, 1, 2]
        """
        reshuffle = True if reshuffle_each_iteration is None else bool(reshuffle_each_iteration)
        inputs = (int64(buffer_size, "buffer_size"), *seed_tensors(seed), call("DummySeedGenerator", ()))
        return self._then("ShuffleDatasetV3", inputs, {"reshuffle_each_iteration": reshuffle}, name=name)

    def prefetch(self, buffer_size, name=None):
        """The same elements, made ahead by a thread: up to `buffer_size` of them, or what `tf.data.AUTOTUNE` finds.

        >>> [int(x) for x in tf.data.Dataset.range(2).prefetch(tf.data.AUTOTUNE)]
        [0, 1]
        """
        if debugging.on:
            return self
        return self._then(
            "PrefetchDataset", (int64(AUTOTUNE if buffer_size is None else buffer_size, "buffer_size"),), name=name
        )

    def cache(self, filename="", name=None):
        """Remembers the elements of the first whole pass, in memory, or in files whose names begin with `filename`.

        The files are read by later programs too: remove them when the pipeline before `cache` changes.

        >>> [int(x) for x in tf.data.Dataset.range(2).cache()]
        [0, 1]
        """
        return self._then(
            "CacheDatasetV2", (convert_to_tensor(filename, dtypes.string), call("DummyMemoryCache", ())), name=name
        )

    def unique(self, name=None):
        """The elements without those that came before.

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

    def ignore_errors(self, log_warning=False, name=None):
        """The same elements, without those whose computation fails.

        >>> ds = tf.data.Dataset.range(3).map(lambda i: tf.gather([5, 6], i))
        >>> len(list(ds.ignore_errors()))
        2
        """
        return self._then("IgnoreErrorsDataset", (), {"log_warning": bool(log_warning)}, name=name)

    def with_options(self, options, name=None):
        """The same elements under other options.

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
        """The options of this dataset and its inputs, merged; read only."""
        options = Options()
        for parent in self._parents:
            options = options.merge(parent.options())
        if self._own_options is not None:
            options = options.merge(self._own_options)
        options._freeze()
        return options
