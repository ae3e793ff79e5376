"""Methods of `tf.data.Dataset` that call a function on elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reflow.api.call import call
from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.data import structure
from reflow.data.base import AUTOTUNE, Family, int64
from reflow.data.functions import Traced, debugging, state_function
from reflow.data.specs import DatasetSpec
from reflow.ops.convert import convert_to_tensor

if TYPE_CHECKING:
    from reflow.data.dataset import DatasetV2


def determinism(value) -> str:
    return "default" if value is None else str(bool(value)).lower()


class ElementMethods(Family):
    """`map`, `flat_map`, `interleave`, `filter`, `take_while`, `scan`, `reduce`, `apply`."""

    def map(
        self, map_func, num_parallel_calls=None, deterministic=None, synchronous=None, use_unbounded_threadpool=False,
        name=None,
    ) -> DatasetV2:
        """Applies a function to each element.

        Args:
          map_func: The function. It gets the components of a tuple as separate arguments, and is traced once.
          num_parallel_calls: How many elements are worked on at the same time, by threads; or `tf.data.AUTOTUNE`. By
            default one.
          deterministic: With parallel calls: if False, elements come in the order in which they are ready. By default
            as the dataset's options say.
          synchronous: If True, the pipeline may not be made parallel behind the scenes; not together with
            `num_parallel_calls`.
          use_unbounded_threadpool: With parallel calls: whether each gets a thread of its own.
          name: A name for the operation.

        Returns:
          A dataset of the results, with the structure that `map_func` returns.

        Raises:
          ValueError: `synchronous` is set together with `num_parallel_calls`.

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

    def flat_map(self, map_func, name=None) -> DatasetV2:
        """Maps each element to a dataset, and joins these datasets one after the other.

        Args:
          map_func: A function from an element to a dataset.
          name: A name for the operation.

        Returns:
          A dataset of the elements of all these datasets.

        Raises:
          TypeError: `map_func` does not return a dataset.

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
    ) -> DatasetV2:
        """Maps each element to a dataset, and takes blocks of elements from `cycle_length` of these datasets in turn.

        Args:
          map_func: A function from an element to a dataset.
          cycle_length: How many datasets are open at a time; chosen automatically by default.
          block_length: How many elements are taken from one dataset before the next has its turn; by default one.
          num_parallel_calls: How many datasets are read at the same time, by threads; or `tf.data.AUTOTUNE`. By default
            one.
          deterministic: With parallel calls: if False, elements come in the order in which they are ready.
          name: A name for the operation.

        Returns:
          A dataset of the elements of all these datasets.

        Raises:
          TypeError: `map_func` does not return a dataset.

        >>> ds = tf.data.Dataset.range(1, 3).interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(2), cycle_length=2
        ... )
        >>> [int(x) for x in ds]
        [1, 2, 1, 2]
        """
        block_length = 1 if block_length is None else block_length
        cycle_length = AUTOTUNE if cycle_length is None else cycle_length
        traced, spec = self._to_datasets(map_func, "interleave")
        attrs = {"f": traced.graph, "Targuments": traced.captured_types}
        sizes = (int64(cycle_length, "cycle_length"), int64(block_length, "block_length"))
        if num_parallel_calls is None or debugging.on:
            return self._then("InterleaveDataset", (*traced.captured, *sizes), attrs, spec, name)
        attrs["deterministic"] = determinism(deterministic)
        tuning = (int64(AUTOTUNE), int64(AUTOTUNE), int64(num_parallel_calls))
        return self._then("ParallelInterleaveDatasetV4", (*traced.captured, *sizes, *tuning), attrs, spec, name)

    def _parallel_interleave(self, map_func, sizes, deterministic):
        """`tf.data.experimental.parallel_interleave`.

        `sizes` are those of the cycle, of a block, and how many elements may wait.
        """
        traced, spec = self._to_datasets(map_func, "parallel_interleave")
        attrs = {"f": traced.graph, "Targuments": traced.captured_types, "deterministic": determinism(deterministic)}
        return self._then("LegacyParallelInterleaveDatasetV2", (*traced.captured, *map(int64, sizes)), attrs, spec)

    def _predicate(self, predicate, transformation):
        traced = Traced(predicate, transformation, self.element_spec)
        if not structure.compatible(traced.output_spec, TensorSpec([], dtypes.bool_)):
            raise ValueError(
                "Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is "
                f"{traced.output_spec}."
            )
        return traced, {"predicate": traced.graph, "Targuments": traced.captured_types}

    def filter(self, predicate, name=None) -> DatasetV2:
        """Keeps the elements for which `predicate` is true.

        Args:
          predicate: A function from an element to a scalar bool tensor.
          name: A name for the operation.

        Returns:
          A dataset with elements of the same structure, of unknown length.

        Raises:
          ValueError: `predicate` does not return a scalar bool.

        >>> [int(x) for x in tf.data.Dataset.range(4).filter(lambda x: x % 2 == 1)]
        [1, 3]
        """
        traced, attrs = self._predicate(predicate, "filter")
        return self._then("FilterDataset", traced.captured, attrs, name=name)

    def take_while(self, predicate, name=None) -> DatasetV2:
        """Ends the dataset before the first element for which `predicate` is false.

        Args:
          predicate: A function from an element to a scalar bool tensor.
          name: A name for the operation.

        Returns:
          A dataset of the elements before that one.

        Raises:
          ValueError: `predicate` does not return a scalar bool.

        >>> [int(x) for x in tf.data.Dataset.range(9).take_while(lambda x: x < 2)]
        [0, 1]
        """
        traced, attrs = self._predicate(predicate, "take_while")
        return self._then("TakeWhileDataset", traced.captured, attrs, name=name)

    def scan(self, initial_state, scan_func, name=None) -> DatasetV2:
        """Applies a function to each element and to a state that it carries on.

        Args:
          initial_state: The state at the beginning, a nested structure of tensors.
          scan_func: A function from the state and an element to a pair: the next state, and an element of the output.
          name: A name for the operation.

        Returns:
          A dataset of the second parts of these pairs.

        Raises:
          TypeError: `scan_func` does not return a pair.

        >>> ds = tf.data.Dataset.range(4).scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
        >>> [int(x) for x in ds]
        [0, 1, 3, 6]
        """
        initial = structure.normalize(initial_state)
        outputs = []

        def pick(spec):
            if not (isinstance(spec, tuple) and len(spec) == 2):
                raise TypeError(
                    "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output "
                    f"value but its return type is {spec}."
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

    def reduce(self, initial_state, reduce_func, name=None) -> Any:
        """Combines all elements into one value.

        Args:
          initial_state: The value before the first element, a nested structure of tensors.
          reduce_func: A function from the value so far and an element to the next value, of the same structure.
          name: A name for the operation.

        Returns:
          The value after the last element.

        >>> int(tf.data.Dataset.range(5).reduce(tf.constant(0, tf.int64), lambda s, x: s + x))
        10
        """
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

    def group_by_window(self, key_func, reduce_func, window_size=None, window_size_func=None, name=None) -> DatasetV2:
        """Groups elements by a key, and turns each full window of a group into a dataset.

        Args:
          key_func: A function from an element to its key, an integer scalar.
          reduce_func: A function from a key and the dataset of a window to a dataset.
          window_size: How many elements of a key make a window.
          window_size_func: A function from a key to that number, instead of `window_size`.
          name: A name for the operation.

        Returns:
          A dataset of the elements of these datasets; windows that are not full come at the end.

        Raises:
          ValueError: Both or none of `window_size` and `window_size_func` are given, or `key_func` returns no scalar.
          TypeError: `reduce_func` does not return a dataset.

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
                "Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor but its return type is "
                f"{key.output_spec}."
            )
        size = Traced(_to_int64(window_size_func), "group_by_window", scalar)
        reduce = Traced(reduce_func, "group_by_window", (scalar, DatasetSpec(self.element_spec)))
        if not isinstance(reduce.output_spec, DatasetSpec):
            raise TypeError(
                "Invalid `reduce_func`. `reduce_func` must return a single `tf.data.Dataset` object but its return "
                f"type is {reduce.output_spec}."
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

    def apply(self, transformation_func) -> DatasetV2:
        """Calls a function on this dataset: a way to chain transformations that are not methods.

        Args:
          transformation_func: A function from a dataset to a dataset.

        Returns:
          The dataset that it returns.

        Raises:
          TypeError: It returns something else.

        >>> len(tf.data.Dataset.range(3).apply(lambda ds: ds.repeat(2)))
        6
        """
        dataset = transformation_func(self)
        if not isinstance(dataset, Family):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(dataset)}.")
        return dataset  # type: ignore[return-value]


def _to_int64(function):
    def wrapped(*args):
        return convert_to_tensor(function(*args), dtypes.int64)

    wrapped.__name__ = getattr(function, "__name__", "function")
    return wrapped
