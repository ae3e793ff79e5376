"""Methods of `tf.data.Dataset` that call a function on elements."""

from __future__ import annotations

from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.data import structure
from reflow.data.base import AUTOTUNE, Family, int64
from reflow.data.functions import Traced, debugging, state_function
from reflow.data.specs import DatasetSpec
from reflow.ops.convert import convert_to_tensor


def determinism(value) -> str:
    return "default" if value is None else str(bool(value)).lower()


class ElementMethods(Family):
    """`map`, `flat_map`, `interleave`, `filter`, `take_while`, `scan`, `reduce`, `apply`."""

    def map(
        self, map_func, num_parallel_calls=None, deterministic=None, synchronous=None, use_unbounded_threadpool=False,
        name=None,
    ):
        """The function of each element. With `num_parallel_calls` it may run ahead on threads. The order
        stays, unless `deterministic` is False: then what is ready first comes first.

        >>> [int(x) for x in tf.data.Dataset.range(3).map(lambda x: x * x)]
        [0, 1, 4]
        """
        traced = Traced(map_func, "map", self.element_spec)
        attrs = {"f": traced.graph, "Targuments": traced.captured_types, "preserve_cardinality": True}
        if num_parallel_calls is None or debugging.on:
            if synchronous is not None:
                attrs["force_synchronous"] = bool(synchronous)
            return self._then("MapDataset", traced.captured, attrs, traced.output_spec, name)
        if synchronous:
            raise ValueError(
                "`synchronous` is not supported with `num_parallel_calls`, but `num_parallel_calls` was set to "
                f"{num_parallel_calls}."
            )
        attrs |= {"deterministic": determinism(deterministic), "use_unbounded_threadpool": use_unbounded_threadpool}
        return self._then(
            "ParallelMapDatasetV2", (*traced.captured, int64(num_parallel_calls)), attrs, traced.output_spec, name
        )

    def flat_map(self, map_func, name=None):
        """The elements of the datasets that the function gives, one dataset after the other.

        >>> [int(x) for x in tf.data.Dataset.range(3).flat_map(tf.data.Dataset.range)]
        [0, 0, 1]
        """
        traced, spec = self._to_datasets(map_func, "flat_map")
        return self._then(
            "FlatMapDataset", traced.captured, {"f": traced.graph, "Targuments": traced.captured_types}, spec, name
        )

    def _to_datasets(self, map_func, transformation):
        traced = Traced(map_func, transformation, self.element_spec)
        if not isinstance(traced.output_spec, DatasetSpec):
            raise TypeError(
                f"The `map_func` argument must return a `Dataset` object. Got {type(traced.output_spec).__name__!r}."
            )
        return traced, traced.output_spec._element_spec

    def interleave(
        self, map_func, cycle_length=None, block_length=None, num_parallel_calls=None, deterministic=None, name=None
    ):
        """Blocks of the datasets that the function gives, `cycle_length` datasets at a time.

        With `num_parallel_calls` and `deterministic=False` they are read by threads, and what is ready first comes first.

        >>> ds = tf.data.Dataset.range(1, 3).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=2)
        >>> [int(x) for x in ds]
        [1, 2, 1, 2]
        """
        block_length = 1 if block_length is None else block_length
        cycle_length = AUTOTUNE if cycle_length is None else cycle_length
        traced, spec = self._to_datasets(map_func, "interleave")
        attrs = {"f": traced.graph, "Targuments": traced.captured_types}
        sizes = (int64(cycle_length), int64(block_length))
        if num_parallel_calls is None or debugging.on:
            return self._then("InterleaveDataset", (*traced.captured, *sizes), attrs, spec, name)
        attrs["deterministic"] = determinism(deterministic)
        tuning = (int64(AUTOTUNE), int64(AUTOTUNE), int64(num_parallel_calls))
        return self._then("ParallelInterleaveDatasetV4", (*traced.captured, *sizes, *tuning), attrs, spec, name)

    def _parallel_interleave(self, map_func, sizes, deterministic):
        """`tf.data.experimental.parallel_interleave`: `sizes` are those of the cycle, of a block, and how many elements may wait."""
        traced, spec = self._to_datasets(map_func, "parallel_interleave")
        attrs = {"f": traced.graph, "Targuments": traced.captured_types, "deterministic": determinism(deterministic)}
        return self._then("LegacyParallelInterleaveDatasetV2", (*traced.captured, *map(int64, sizes)), attrs, spec)

    def _predicate(self, predicate, transformation):
        traced = Traced(predicate, transformation, self.element_spec)
        if not structure.compatible(traced.output_spec, TensorSpec([], dtypes.bool_)):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type "
                "is "
                f"{traced.output_spec}."
            )
        return traced, {"predicate": traced.graph, "Targuments": traced.captured_types}

    def filter(self, predicate, name=None):
        """The elements for which `predicate` is true.

        >>> [int(x) for x in tf.data.Dataset.range(4).filter(lambda x: x % 2 == 1)]
        [1, 3]
        """
        traced, attrs = self._predicate(predicate, "filter")
        return self._then("FilterDataset", traced.captured, attrs, name=name)

    def take_while(self, predicate, name=None):
        """The elements before the first for which `predicate` is false.

        >>> [int(x) for x in tf.data.Dataset.range(9).take_while(lambda x: x < 2)]
        [0, 1]
        """
        traced, attrs = self._predicate(predicate, "take_while")
        return self._then("TakeWhileDataset", traced.captured, attrs, name=name)

    def scan(self, initial_state, scan_func, name=None):
        """`scan_func(state, element)` gives the next state and an output element.

        >>> ds = tf.data.Dataset.range(4).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
        >>> [int(x) for x in ds]
        [0, 1, 3, 6]
        """
        initial = structure.normalize(initial_state)
        outputs = []

        def pick(spec):
            if not (isinstance(spec, tuple) and len(spec) == 2):
                raise TypeError(
                    "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the "
                    "output value but "
                    f"its return type is {spec}."
                )
            outputs.append(spec[1])
            return spec[0]

        state_spec = structure.spec_of(initial)
        traced, _ = state_function(scan_func, "scan", state_spec, self.element_spec, pick)
        flat = structure.to_components(state_spec, initial)
        return self._then(
            "ScanDataset",
            (*flat, *traced.captured),
            {
                "f": traced.graph,
                "Tstate": [t.dtype for t in flat],
                "Targuments": traced.captured_types,
                "preserve_cardinality": True,
            },
            outputs[-1],
            name,
        )

    def reduce(self, initial_state, reduce_func, name=None):
        """What `reduce_func(state, element)` makes of the state, over all elements.

        >>> int(tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda s, x: s + x))
        10
        """
        from reflow.api.call import call

        initial = structure.normalize(initial_state)
        first_spec = structure.spec_of(initial)
        traced, state_spec = state_function(reduce_func, "reduce", first_spec, self.element_spec, lambda spec: spec)
        flat = structure.to_components(first_spec, initial)
        out = call(
            "ReduceDataset",
            (self._variant_tensor, *flat, *traced.captured),
            {
                "f": traced.graph,
                "Tstate": [t.dtype for t in flat],
                "Targuments": traced.captured_types,
                **structure.type_attrs(state_spec),
            },
            name,
        )
        return structure.from_components(state_spec, out)

    def group_by_window(self, key_func, reduce_func, window_size=None, window_size_func=None, name=None):
        """Groups elements by a key; `reduce_func(key, window)` turns each full window into a dataset.

        >>> ds = tf.data.Dataset.range(4).group_by_window(lambda x: x % 2, lambda k, w: w.batch(2), window_size=2)
        >>> [x.numpy().tolist() for x in ds]
        [[0, 2], [1, 3]]
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
        if window_size_func is None:
            window_size_func = lambda key: convert_to_tensor(window_size, dtypes.int64)
        scalar = TensorSpec([], dtypes.int64)
        key = Traced(_to_int64(key_func), "group_by_window", self.element_spec)
        if not structure.compatible(key.output_spec, scalar):
            raise ValueError(
                "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but its return "
                "type is "
                f"{key.output_spec}."
            )
        size = Traced(_to_int64(window_size_func), "group_by_window", scalar)
        reduce = Traced(reduce_func, "group_by_window", (scalar, DatasetSpec(self.element_spec)))
        if not isinstance(reduce.output_spec, DatasetSpec):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its "
                "return type is "
                f"{reduce.output_spec}."
            )
        return self._then(
            "GroupByWindowDataset",
            (*key.captured, *reduce.captured, *size.captured),
            {
                "key_func": key.graph,
                "reduce_func": reduce.graph,
                "window_size_func": size.graph,
                "Tkey_func_other_arguments": key.captured_types,
                "Treduce_func_other_arguments": reduce.captured_types,
                "Twindow_size_func_other_arguments": size.captured_types,
            },
            reduce.output_spec._element_spec,
            name,
        )

    def apply(self, transformation_func):
        """`transformation_func` of this dataset; it must return a dataset.

        >>> len(tf.data.Dataset.range(3).apply(lambda ds: ds.repeat(2)))
        6
        """
        dataset = transformation_func(self)
        if not isinstance(dataset, Family):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(dataset)}.")
        return dataset


def _to_int64(function):
    def wrapped(*args):
        return int64(convert_to_tensor(function(*args), dtype_hint=dtypes.int64))

    wrapped.__name__ = getattr(function, "__name__", "function")
    return wrapped
