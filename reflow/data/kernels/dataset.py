"""Datasets and iterators: one record per transformation, with TensorFlow's op names.

A kernel builds one node of the tree of `reflow/data/engine/values.py`; nothing is computed before an iterator is read.
Functions (attributes of type `func`) are FuncGraphs; the tensors they capture are the op's `other_arguments`.
"""

from __future__ import annotations

import functools
import os
import weakref

import numpy as np

from reflow.core import errors
from reflow.core.resources import check_container
from reflow.core.shapes import dims_of
from reflow.data.cardinality_options import CardinalityOptions, ComputeLevel
from reflow.data.engine import (
    batches,
    buffers,
    composites,
    functions,
    global_shuffle,
    groups,
    interleave,
    order,
    snapshots,
    values,
)
from reflow.data.engine.iterator_resource import IteratorResource
from reflow.data.engine.recipes import remembering
from reflow.data.engine.rewrites import prepared, with_counts
from reflow.data.engine.values import Function
from reflow.data.options import Options
from reflow.graph.refusals import check_memory_only
from reflow.ops import philox
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, op, own_op
from reflow.ops.xp import host as host_xp


def dataset_op(name: str, **facts):
    """A record whose output is one handle: a dataset, which remembers how it was made; an iterator, a cache."""

    return remembered(op(name, shape=rules.scalar, grad=NO_GRADIENT, host=True, **facts))


def remembered(register):
    """What registers a kernel, made to register one that leaves a recipe with the datasets that it makes."""

    def remember(kernel):
        record = register(kernel)
        record.kernel, record.kernel_attrs = remembering(record), None
        return record

    return remember


def _component_shapes(f):
    return [dims_of(s) for s in f.attrs["output_shapes"]]


def components_op(name: str, **facts):
    """A record whose outputs are the components of an element."""
    return op(name, shape=_component_shapes, grad=NO_GRADIENT, host=True, **facts)


class Words:
    """The 32-bit words of a Philox stream, as Python ints; generated in growing chunks."""

    def __init__(self, seed: int, seed2: int):
        self.key = np.array([seed & 0xFFFFFFFFFFFFFFFF], np.uint64)
        self.counter = np.array([0, seed2 & 0xFFFFFFFFFFFFFFFF], np.uint64)
        self.position, self.first = 0, 0
        self.chunk: list[int] = []

    def __iter__(self):
        return self

    def __next__(self) -> int:
        at = self.position - self.first
        if not 0 <= at < len(self.chunk):
            blocks = min(1024, max(4, len(self.chunk) // 2))
            first = self.position // 4
            words = philox.stream(host_xp, self.key, self.counter, blocks, first=first)
            self.chunk = np.stack(words, 1).reshape(-1).tolist()
            self.first = 4 * first
            at = self.position - self.first
        self.position += 1
        return self.chunk[at]

    def skip(self, count: int):
        self.position += count

    def block(self, count: int) -> np.ndarray:
        """The next `count` words as an array."""
        first = self.position // 4
        blocks = -(-(self.position + count) // 4) - first
        words = philox.stream(host_xp, self.key, self.counter, blocks, first=first)
        at = self.position - 4 * first
        self.position += count
        return np.stack(words, 1).reshape(-1)[at : at + count]


def seeds(seed, seed2) -> tuple[int, int]:
    """The seeds of an op; (0, 0) means two from the operating system."""
    pair = int(seed), int(seed2)
    draw = lambda: int.from_bytes(os.urandom(8), "little")
    return pair if any(pair) else (draw(), draw())


# --- sources --------------------------------------------------------------------------------------------------------
# Those that TensorFlow calls stateful have an `effect`: they run even if the dataset is never read.


@dataset_op("RangeDataset", fits="0 0 0", effect=True)
def range_dataset(_, start, stop, step, output_types, output_shapes=None):
    return values.Range(int(start), int(stop), int(step), output_types[0].np_dtype)


def _check_count(components, output_shapes, first: int) -> None:
    """Refuse components that do not have the shapes they are said to have, from their axis `first` on."""
    if len(components) != len(output_shapes):
        counts = f"expected {len(components)} shapes but got {len(output_shapes)}"
        raise errors.InvalidArgumentError(None, None, f"Number of components does not match: {counts}.")
    for i, (component, shape) in enumerate(zip(components, output_shapes)):
        own, dims = getattr(component, "shape", None), dims_of(shape)
        if own is None or dims is None or len(own) < first:
            continue
        if len(own) - first != len(dims) or any(d is not None and d != n for d, n in zip(dims, own[first:])):
            shapes = f"expected {rules.text(own[first:])} but got {rules.text(dims)}"
            raise errors.InvalidArgumentError(None, None, f"Incompatible shapes at component {i}: {shapes}.")


@dataset_op("TensorDataset", effect=True)
def tensor_dataset(_, components, output_shapes):
    _check_count(components, output_shapes, 0)
    return values.Tensors(components)


@dataset_op("TensorSliceDataset", effect=True)
def tensor_slice_dataset(_, components, output_shapes):
    _check_count(components, output_shapes, 1)
    return values.Slices(components)


@dataset_op("ListDataset", effect=True)
def list_dataset(_, tensors, output_types):
    width = len(output_types)
    return values.Listed([list(tensors[at : at + width]) for at in range(0, len(tensors), width)])


@dataset_op("GeneratorDataset", effect=True)
def generator_dataset(
    _, init_func_other_args, next_func_other_args, finalize_func_other_args, init_func, next_func, finalize_func
):
    init = Function(init_func, ())
    step, finalize = Function(next_func, next_func_other_args), Function(finalize_func, finalize_func_other_args)
    return values.Generated(
        lambda: values.run_generator(init, step, finalize, init_func_other_args), (init, step, finalize)
    )


@own_op(
    "PythonGeneratorDataset", inputs="*args", outputs="handle", attrs=("start",), effect=True, shape=rules.scalar,
    grad=NO_GRADIENT, host=True, touches=("python",), overlaps=True,
)
def python_generator_dataset(_, args, start):
    """`from_generator`: `start(*args)` is a Python iterator over flat elements. It cannot leave the process."""
    return values.Generated(lambda: start(*args), calls_python=True)


@dataset_op("RandomDataset", fits="0 0", effect=True)
def random_dataset(_, seed, seed2):
    return values_random(seed, seed2, False)


def values_random(seed, seed2, fresh, shared=None):
    return buffers.Random(_generator(seed, seed2, fresh, shared))


def _generator(seed, seed2, fresh, shared=None):
    """The seed generator of a dataset: that of a resource, if one is given, else its own."""
    found = getattr(shared, "generator", None)
    return found or buffers.SeedGenerator(Words, *seeds(seed, seed2), fresh)


@dataset_op("RandomDatasetV2", writes=("seed_generator",))
def random_dataset_v2(_, seed, seed2, seed_generator, rerandomize_each_iteration=False):
    return values_random(seed, seed2, rerandomize_each_iteration, seed_generator)


@dataset_op("WindowOp")
def window_op(_, inputs):
    return values.Listed([[x] for x in inputs])


# --- elements passed on ---------------------------------------------------------------------------------------------


@dataset_op("ZipDataset")
def zip_dataset(_, input_datasets):
    return order.Zip(input_datasets)


@dataset_op("ConcatenateDataset")
def concatenate_dataset(_, input_dataset, another_dataset):
    return order.Concatenate(input_dataset, another_dataset)


@dataset_op("RepeatDataset")
def repeat_dataset(_, input_dataset, count):
    return order.Repeat(input_dataset, int(count))


@dataset_op("TakeDataset")
def take_dataset(_, input_dataset, count):
    return order.Take(input_dataset, int(count))


@dataset_op("SkipDataset")
def skip_dataset(_, input_dataset, count):
    return order.Skip(input_dataset, int(count))


@dataset_op("ShardDataset")
def shard_dataset(_, input_dataset, num_shards, index):
    return order.Shard(input_dataset, int(num_shards), int(index))


@dataset_op("UniqueDataset")
def unique_dataset(_, input_dataset):
    return order.Unique(input_dataset)


@dataset_op("DirectedInterleaveDataset")
def directed_interleave_dataset(_, selector_input_dataset, data_input_datasets, stop_on_empty_dataset=False):
    return order.Directed(selector_input_dataset, data_input_datasets, stop_on_empty_dataset)


@dataset_op("AssertCardinalityDataset")
def assert_cardinality_dataset(_, input_dataset, cardinality):
    return order.Checked(input_dataset, int(cardinality))


@dataset_op("IgnoreErrorsDataset")
def ignore_errors_dataset(_, input_dataset, log_warning=False):
    return order.Ignoring(input_dataset, log_warning)


@own_op("CopyToDeviceDataset", "input_dataset", "handle", ("device",), shape=rules.scalar, grad=NO_GRADIENT, host=True)
def copy_to_device_dataset(_, input_dataset, device):
    return order.OnDevice(input_dataset, device)


@functools.lru_cache(256)  # `predict` makes the same pipeline at each call
def _check_options(serialized: bytes) -> None:
    Options._parsed(serialized)


@dataset_op("OptionsDataset")
def options_dataset(_, input_dataset, serialized_options):
    try:
        _check_options(serialized_options.encode() if isinstance(serialized_options, str) else serialized_options)
    except ValueError:
        raise errors.InvalidArgumentError(None, None, "Could not parse serialized_options as valid Options.") from None
    return order.Pass(input_dataset, serialized_options)


def _pass(name):
    @dataset_op(name)
    def kernel(_, input_dataset):
        return order.Pass(input_dataset)


for _name in ("ModelDataset", "FinalizeDataset"):  # they only tune
    _pass(_name)


# --- functions ------------------------------------------------------------------------------------------------------


@dataset_op("MapDataset")
def map_dataset(_, input_dataset, other_arguments, f, preserve_cardinality=False, force_synchronous=False):
    return functions.Map(input_dataset, Function(f, other_arguments), preserve_cardinality, force_synchronous)


def _check_calls(calls: int) -> None:
    if calls != values.AUTOTUNE and calls <= 0:
        raise errors.InvalidArgumentError(None, None, "num_parallel_calls must be greater than zero.")


@dataset_op("ParallelMapDatasetV2")
def parallel_map_dataset(
    _, input_dataset, other_arguments, num_parallel_calls, f, preserve_cardinality=False, deterministic="default"
):
    calls = int(num_parallel_calls)
    _check_calls(calls)
    return functions.ParallelMap(
        input_dataset, Function(f, other_arguments), calls, preserve_cardinality, deterministic
    )


@dataset_op("FlatMapDataset")
def flat_map_dataset(_, input_dataset, other_arguments, f):
    return functions.FlatMap(input_dataset, Function(f, other_arguments))


@dataset_op("InterleaveDataset")
def interleave_dataset(_, input_dataset, other_arguments, cycle_length, block_length, f):
    for label, value, least in (("cycle_length", cycle_length, values.AUTOTUNE), ("block_length", block_length, 1)):
        if value < least or value == 0:
            raise errors.InvalidArgumentError(None, None, f"{label} must be greater than zero.")
    return interleave.Interleave(input_dataset, Function(f, other_arguments), int(cycle_length), int(block_length))


@dataset_op("ParallelInterleaveDatasetV4")
def parallel_interleave_dataset(
    _, input_dataset, other_arguments, cycle_length, block_length, buffer_output_elements, prefetch_input_elements,
    num_parallel_calls, f, deterministic="default",
):
    function, calls = Function(f, other_arguments), int(num_parallel_calls)
    if cycle_length < values.AUTOTUNE or cycle_length == 0:
        said = f"must be `tf.data.AUTOTUNE` or greater than 0 but is {int(cycle_length)}"
        raise errors.InvalidArgumentError(None, None, f"`cycle_length` {said}")
    if block_length <= 0:
        raise errors.InvalidArgumentError(None, None, "`block_length` must be > 0")
    _check_calls(calls)
    return interleave.ParallelInterleave(
        input_dataset, function, int(cycle_length), int(block_length), calls, deterministic
    )


@dataset_op("FilterDataset")
def filter_dataset(_, input_dataset, other_arguments, predicate):
    return functions.Filter(input_dataset, Function(predicate, other_arguments))


@dataset_op("TakeWhileDataset")
def take_while_dataset(_, input_dataset, other_arguments, predicate):
    return functions.TakeWhile(input_dataset, Function(predicate, other_arguments))


@dataset_op("ScanDataset")
def scan_dataset(_, input_dataset, initial_state, other_arguments, f, preserve_cardinality=False):
    return functions.Scan(input_dataset, initial_state, Function(f, other_arguments), preserve_cardinality)


@dataset_op("GroupByWindowDataset")
def group_by_window_dataset(
    _, input_dataset, key_func_other_arguments, reduce_func_other_arguments, window_size_func_other_arguments, key_func,
    reduce_func, window_size_func,
):
    return groups.GroupByWindow(
        input_dataset, Function(key_func, key_func_other_arguments), Function(reduce_func, reduce_func_other_arguments),
        Function(window_size_func, window_size_func_other_arguments),
    )


@dataset_op("GroupByReducerDataset", effect=True)
def group_by_reducer_dataset(
    _, input_dataset, key_func_other_arguments, init_func_other_arguments, reduce_func_other_arguments,
    finalize_func_other_arguments, key_func, init_func, reduce_func, finalize_func,
):
    return groups.GroupByReducer(
        input_dataset, Function(key_func, key_func_other_arguments), Function(init_func, init_func_other_arguments),
        Function(reduce_func, reduce_func_other_arguments), Function(finalize_func, finalize_func_other_arguments),
    )


# --- batches --------------------------------------------------------------------------------------------------------


@dataset_op("BatchDataset")
def batch_dataset(_, input_dataset, batch_size):
    return batches.Batch(input_dataset, int(batch_size), False)


@dataset_op("BatchDatasetV2")
def batch_dataset_v2(_, input_dataset, batch_size, drop_remainder):
    return batches.Batch(input_dataset, int(batch_size), bool(drop_remainder))


@dataset_op("ParallelBatchDataset")
def parallel_batch_dataset(_, input_dataset, batch_size, num_parallel_calls, drop_remainder):
    batch = batches.Batch(input_dataset, int(batch_size), bool(drop_remainder))
    batch.name = "ParallelBatch"
    return batch


@dataset_op("PaddedBatchDatasetV2")
def padded_batch_dataset(_, input_dataset, batch_size, padded_shapes, padding_values, drop_remainder):
    shapes = [tuple(None if d < 0 else d for d in s.tolist()) for s in padded_shapes]
    return batches.PaddedBatch(input_dataset, int(batch_size), shapes, padding_values, bool(drop_remainder))


@dataset_op("UnbatchDataset")
def unbatch_dataset(_, input_dataset, **attrs):
    return batches.Unbatch(input_dataset, attrs.get("_batch_size"))


@dataset_op("DenseToSparseBatchDataset")
def dense_to_sparse_batch_dataset(_, input_dataset, batch_size, row_shape):
    return composites.SparseBatch(input_dataset, int(batch_size), row_shape.reshape(-1).tolist())


@dataset_op("RebatchDatasetV2")
def rebatch_dataset(_, input_dataset, batch_sizes, drop_remainder):
    return batches.Rebatch(input_dataset, batch_sizes.reshape(-1).tolist(), bool(drop_remainder))


@dataset_op("WindowDataset")
def window_dataset(_, input_dataset, size, shift, stride, drop_remainder, **attrs):
    numbers = int(size), int(shift), int(stride)
    return batches.Window(input_dataset, *numbers, bool(drop_remainder), attrs.get("_widths"))


# --- buffers --------------------------------------------------------------------------------------------------------


def _shuffle(source, size, seed, seed2, reshuffle, shared=None):
    return buffers.Shuffle(source, int(size), _generator(seed, seed2, reshuffle, shared))


@dataset_op("ShuffleDataset")
def shuffle_dataset(_, input_dataset, buffer_size, seed, seed2, reshuffle_each_iteration=True):
    return _shuffle(input_dataset, buffer_size, seed, seed2, reshuffle_each_iteration)


@dataset_op("ShuffleDatasetV3", writes=("seed_generator",))
def shuffle_dataset_v3(_, input_dataset, buffer_size, seed, seed2, seed_generator, reshuffle_each_iteration=True):
    return _shuffle(input_dataset, buffer_size, seed, seed2, reshuffle_each_iteration, seed_generator)


@dataset_op("ShuffleAndRepeatDatasetV2", writes=("seed_generator",))
def shuffle_and_repeat_dataset(
    _, input_dataset, buffer_size, seed, seed2, count, seed_generator, reshuffle_each_iteration=True
):
    shuffled = _shuffle(input_dataset, buffer_size, seed, seed2, reshuffle_each_iteration, seed_generator)
    shuffled.hidden = True
    return order.ShuffleAndRepeat(shuffled, int(count))


@dataset_op("GlobalShuffleDataset", writes=("seed_generator",))
def global_shuffle_dataset(_, input_dataset, seed, seed2, seed_generator, reshuffle_each_iteration=True):
    return global_shuffle.GlobalShuffle(
        input_dataset, _generator(seed, seed2, reshuffle_each_iteration, seed_generator)
    )


@dataset_op("PrefetchDataset")
def prefetch_dataset(_, input_dataset, buffer_size):
    return buffers.Prefetch(input_dataset, int(buffer_size))


@dataset_op("CacheDatasetV2", writes=("cache",), touches=("assets",))
def cache_dataset(_, input_dataset, filename, cache, output_types, **attrs):
    if filename[()]:
        check_memory_only(attrs, filename[()].decode())
        return snapshots.FileCache(input_dataset, filename[()].decode(), len(output_types))
    return buffers.Cache(input_dataset)


def _dummy(name):
    @dataset_op(name, effect=True)
    def kernel(_):
        return values.Dummy()


for _name in ("DummyMemoryCache", "DummySeedGenerator"):
    _dummy(_name)


# --- out of datasets ------------------------------------------------------------------------------------------------


@op("DatasetCardinality", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def dataset_cardinality(_, input_dataset, cardinality_options=b""):
    text = cardinality_options.encode() if isinstance(cardinality_options, str) else cardinality_options
    if text and CardinalityOptions.FromString(text).compute_level == ComputeLevel.CARDINALITY_COMPUTE_MODERATE:
        input_dataset = with_counts(input_dataset)
    return np.array(input_dataset.cardinality(), np.int64)


@op("ComputeBatchSize", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def compute_batch_size(_, input_dataset):
    return np.array(input_dataset.batch_size(), np.int64)


@components_op("ReduceDataset", effect=True)
def reduce_dataset(_, input_dataset, initial_state, other_arguments, f):
    function, held = Function(f, other_arguments), list(initial_state)
    for element in values.observed(prepared(input_dataset)[0]).iterate():
        held = function([*held, *element])
    return tuple(held)


@components_op("DatasetToSingleElement", effect=True)
def dataset_to_single_element(_, dataset):
    iterator = prepared(dataset)[0].iterate()
    element = next(iterator, None)
    if element is None:
        raise errors.InvalidArgumentError(None, None, "Dataset was empty.")
    if next(iterator, None) is not None:
        raise errors.InvalidArgumentError(None, None, "Dataset had more than one element.")
    return tuple(element)


@components_op("GetElementAtIndex")
def get_element_at_index(_, dataset, index):
    return tuple(dataset.element_at(int(index)))


# --- iterators ------------------------------------------------------------------------------------------------------


@dataset_op("AnonymousIteratorV3", effect=True)
def anonymous_iterator(_):
    return IteratorResource()


@dataset_op("IteratorV2", effect=True)
def iterator_v2(_, container=""):
    check_container(container)
    return IteratorResource()


@dataset_op("OneShotIterator", effect=True)
def one_shot_iterator(_, dataset_factory):
    iterator = IteratorResource()
    iterator.start(dataset_factory.run([])[0])
    return iterator


_BY_NAME: weakref.WeakValueDictionary = weakref.WeakValueDictionary()


@op("IteratorToStringHandle", shape=rules.scalar, grad=NO_GRADIENT, host=True, reads=("resource_handle",))
def iterator_to_string_handle(_, resource_handle):
    name = f"iterator {id(resource_handle):x}".encode()
    _BY_NAME[name] = resource_handle
    out = np.empty((), object)  # every element is written: the one, next
    out[()] = name
    return out


def from_string_handle(_, string_handle):
    found = _BY_NAME.get(string_handle.item())
    if found is None:
        raise errors.InvalidArgumentError(
            None, None, "Could not parse string handle to iterator: there is none of that name."
        )
    return found


for _name in ("IteratorFromStringHandle", "IteratorFromStringHandleV2"):
    dataset_op(_name, effect=True)(from_string_handle)


@op("MakeIterator", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, writes=("iterator",))
def make_iterator(_, dataset, iterator):
    iterator.start(dataset)
    return ()


def _get_next(_, iterator):
    return tuple(iterator.get_next())


for _name in ("IteratorGetNext", "IteratorGetNextSync"):
    components_op(_name, writes=("iterator",))(_get_next)


@op("IteratorGetNextAsOptional", shape=rules.scalar, grad=NO_GRADIENT, host=True, writes=("iterator",))
def iterator_get_next_as_optional(_, iterator):
    return iterator.get_next_as_optional()
