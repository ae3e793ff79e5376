"""Dataset ops of older graphs: other names of a transformation, forms with fewer operands,
and transformations that only tune."""

from __future__ import annotations

import functools

import numpy as np
from google.protobuf import text_format
from tensorboard.compat.proto.attr_value_pb2 import NameAttrList

from reflow.core import errors
from reflow.core.resources import check_container
from reflow.core.tensor import EagerTensor
from reflow.data.engine import assertions, batches, buffers, external_state, functions, interleave, older, order, values
from reflow.data.engine.iterator_resource import IteratorResource
from reflow.data.engine.values import Function, Listed
from reflow.data.kernels import dataset as records
from reflow.data.kernels.dataset import Words, components_op, dataset_op
from reflow.ops import registry, require
from reflow.ops import shape_rules as rules
from reflow.ops.registry import NO_GRADIENT, also_called, op
from reflow.ops.xp import host as host_xp

# --- only other names -----------------------------------------------------------------------------------------------

for _record in (
    records.dense_to_sparse_batch_dataset, records.group_by_reducer_dataset,
    records.group_by_window_dataset, records.ignore_errors_dataset, records.random_dataset,
    records.scan_dataset, records.take_while_dataset, records.unbatch_dataset, records.unique_dataset,
):
    also_called(f"Experimental{_record.name}", _record)
also_called("Iterator", records.iterator_v2)
also_called("AnonymousIterator", records.anonymous_iterator)


@dataset_op("ExperimentalDirectedInterleaveDataset")
def directed_interleave_dataset(_, selector_input_dataset, data_input_datasets):
    return order.Directed(selector_input_dataset, data_input_datasets, False)


@op("ExperimentalDatasetCardinality", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def experimental_dataset_cardinality(_, input_dataset):
    return records.dataset_cardinality.kernel(_, input_dataset)


@dataset_op("RebatchDataset")
def split_batches_dataset(_, input_dataset, num_replicas):
    """Each batch in as many parts as there are replicas."""
    return batches.Split(input_dataset, int(num_replicas))


also_called("ExperimentalRebatchDataset", split_batches_dataset)


# --- elements passed on ---------------------------------------------------------------------------------------------


def _same_elements(_, input_dataset, *tuning, **attrs):
    return order.Pass(input_dataset)


for _name in ("OptimizeDataset", "OptimizeDatasetV2", "RewriteDataset"):
    dataset_op(_name)(_same_elements)
for _name in ("NonSerializableDataset", "LatencyStatsDataset", "BytesProducedStatsDataset"):
    also_called(f"Experimental{_name}", dataset_op(_name)(_same_elements))
also_called("ExperimentalThreadPoolDataset", dataset_op("ThreadPoolDataset", reads=("thread_pool",))(_same_elements))


@dataset_op("MaxIntraOpParallelismDataset")
def max_intra_op_parallelism_dataset(_, input_dataset, max_intra_op_parallelism):
    if max_intra_op_parallelism < 0:
        raise errors.InvalidArgumentError(None, None, "`max_intra_op_parallelism` must be >= 0")
    return order.Pass(input_dataset)


@dataset_op("PrivateThreadPoolDataset")
def private_thread_pool_dataset(_, input_dataset, num_threads):
    if num_threads < 0:
        raise errors.InvalidArgumentError(None, None, "`num_threads` must be >= 0")
    return order.Pass(input_dataset)


@dataset_op("ThreadPoolHandle", effect=True)
def thread_pool_handle(_, num_threads, container="", **attrs):
    check_container(container)
    if not 0 <= num_threads < 2**16:
        raise errors.InvalidArgumentError(
            None, None, f"`num_threads` must be {'>= 0' if num_threads < 0 else '< 65536'}"
        )
    return values.Dummy()


@dataset_op("ChooseFastestDataset")
def choose_fastest_dataset(_, input_datasets):
    """One of several datasets that give the same elements."""
    sizes = [source.cardinality() for source in input_datasets]
    for i, size in enumerate(sizes):
        if size != sizes[0]:
            raise errors.InvalidArgumentError(
                None, None,
                "All inputs to `ChooseFastestDataset` must have compatible cardinalities. "
                f"Expected: {sizes[0]} but got: {size} for input {i}.",
            )
    return order.Pass(input_datasets[0])


@dataset_op("AssertNextDataset")
def assert_next_dataset(_, input_dataset, transformations):
    return assertions.AssertNext(input_dataset, [name.decode() for name in transformations.reshape(-1).tolist()])


@dataset_op("AssertPrevDataset")
def assert_prev_dataset(_, input_dataset, transformations):
    """`transformations` are NameAttrList protos as text: ops and attributes of theirs."""
    expected = [text_format.Parse(text, NameAttrList()) for text in transformations.reshape(-1).tolist()]
    return assertions.AssertPrev(
        input_dataset, [(proto.name, {k: _plain(v) for k, v in proto.attr.items()}) for proto in expected]
    )


def _plain(value) -> bool | int | str:
    found = getattr(value, value.WhichOneof("value"))
    return found.decode() if isinstance(found, bytes) else found


@dataset_op("SleepDataset", overlaps=True)
def sleep_dataset(_, input_dataset, sleep_microseconds):
    return older.Sleeping(input_dataset, max(0, int(sleep_microseconds)) / 1e6)


for _record in (
    max_intra_op_parallelism_dataset, private_thread_pool_dataset, thread_pool_handle, choose_fastest_dataset,
    sleep_dataset, assert_next_dataset,
):
    also_called(f"Experimental{_record.name}", _record)


def _wrapping(name: str) -> None:
    @op(name, shape=rules.same, grad=NO_GRADIENT, host=True)
    def kernel(_, input_handle):
        return input_handle


_wrapping("WrapDatasetVariant")
_wrapping("UnwrapDatasetVariant")


# --- functions ------------------------------------------------------------------------------------------------------


def _parallel_interleave(_, input_dataset, other_arguments, cycle_length, block_length, *ahead, f, **attrs):
    """`ahead` says how far it may read ahead; before that the first version says whether it is `sloppy`,
    later ones by an attribute."""
    cycle, block = int(cycle_length), int(block_length)
    for label, value in (("cycle_length", cycle), ("block_length", block)):
        if value <= 0:
            raise errors.InvalidArgumentError(None, None, f"`{label}` must be > 0")
    sloppy = bool(ahead[0]) if ahead and ahead[0].dtype == bool else attrs.get("sloppy")
    order_kept = attrs.get("deterministic", "default") if sloppy is None else "false" if sloppy else "true"
    return interleave.ParallelInterleave(
        input_dataset, Function(f, other_arguments), cycle, block, deterministic=order_kept
    )


for _name in ("ParallelInterleaveDatasetV2", "ParallelInterleaveDatasetV3"):
    dataset_op(_name)(_parallel_interleave)


def _legacy_interleave(_, input_dataset, other_arguments, cycle_length, block_length, *ahead, f, **attrs):
    """A thread for each dataset of the cycle.

    The last two of `ahead` are how many elements may wait, before and behind the function.
    """
    made = _parallel_interleave(_, input_dataset, other_arguments, cycle_length, block_length, *ahead, f=f, **attrs)
    outputs, inputs = ahead[-2:]
    if outputs <= 0:
        raise errors.InvalidArgumentError(None, None, "`buffer_output_elements` must be > 0")
    if inputs < 0:
        raise errors.InvalidArgumentError(None, None, "`prefetch_input_elements` must be >= 0")
    return made.changed(name="LegacyParallelInterleave", version="V2", workers=made.cycle, symbolic=False)


for _name in (
    "ParallelInterleaveDataset", "ExperimentalParallelInterleaveDataset", "LegacyParallelInterleaveDatasetV2"
):
    dataset_op(_name)(_legacy_interleave)


@dataset_op("ParallelMapDataset")
def older_parallel_map_dataset(
    _, input_dataset, other_arguments, num_parallel_calls, f, preserve_cardinality=False, sloppy=False
):
    kernel = records.parallel_map_dataset.kernel
    return kernel(
        _, input_dataset, other_arguments, num_parallel_calls, f, preserve_cardinality, "false" if sloppy else "true"
    )


@dataset_op("ParallelFilterDataset")
def parallel_filter_dataset(_, input_dataset, other_arguments, num_parallel_calls, predicate):
    calls = int(num_parallel_calls)
    if calls != values.AUTOTUNE and calls <= 0:
        raise errors.InvalidArgumentError(None, None, "`num_parallel_calls` must be greater than zero.")
    return functions.ParallelFilter(input_dataset, Function(predicate, other_arguments), calls)


@dataset_op("MapAndBatchDataset")
def map_and_batch_dataset(
    _, input_dataset, other_arguments, batch_size, num_parallel_calls, drop_remainder, f, preserve_cardinality=False
):
    size, calls = int(batch_size), int(num_parallel_calls)
    if size <= 0:
        raise errors.InvalidArgumentError(None, None, "batch_size must be greater than zero.")
    if calls != values.AUTOTUNE and calls <= 0:
        raise errors.InvalidArgumentError(None, None, "num_parallel_calls must be greater than zero.")
    mapped = functions.ParallelMap(input_dataset, Function(f, other_arguments), calls, preserve_cardinality)
    mapped.hidden = True
    batch = batches.Batch(mapped, size, bool(drop_remainder))
    batch.name = "MapAndBatch"
    return batch


also_called("ExperimentalMapAndBatchDataset", map_and_batch_dataset)


@dataset_op("WeightedFlatMapDataset")
def weighted_flat_map_dataset(_, input_datasets, weights):
    """The first elements of several datasets, concatenated: as many in total as their weights allow."""
    sizes, shares = [source.cardinality() for source in input_datasets], np.array([float(w) for w in weights])
    for fine, message in (
        (min(sizes) >= 0, "Cardinalities of the inputs must be known."),
        (np.isfinite(shares).all(), "`weights` must be finite."),
        ((shares > 0).all(), "`weights` must be greater than 0.0."),
    ):
        if not fine:
            raise errors.InvalidArgumentError(None, None, message)
    shares = shares / shares.sum()
    total = min(size / share for size, share in zip(sizes, shares, strict=True))
    parts: list[values.DatasetValue] = []
    for at, (source, share) in enumerate(zip(input_datasets, shares, strict=True)):
        count = int(total * share + 1e-9)
        if count < 1:
            raise errors.InvalidArgumentError(
                None, None,
                f"Input {at} needs to have at least {int(np.ceil(1 / share))} elements in all to have one of its own.",
            )
        parts.append(order.Take(source, count))
    return functools.reduce(order.Concatenate, parts)


@dataset_op("ChooseFastestBranchDataset")
def choose_fastest_branch_dataset(
    _, input_dataset, ratio_numerator, ratio_denominator, other_arguments, branches, other_arguments_lengths
):
    """The result of one of several dataset functions, which all give the same elements."""
    return Function(branches[0], other_arguments[: other_arguments_lengths[0]]).dataset([input_dataset])


# --- batches --------------------------------------------------------------------------------------------------------


@dataset_op("PaddedBatchDataset")
def padded_batch_dataset(_, input_dataset, batch_size, padded_shapes, padding_values):
    return records.padded_batch_dataset.kernel(_, input_dataset, batch_size, padded_shapes, padding_values, False)


@dataset_op("SlidingWindowDataset")
def sliding_window_dataset(_, input_dataset, window_size, window_shift, window_stride, drop_remainder=True):
    size, shift, stride = int(window_size), int(window_shift), int(window_stride)
    for label, value in (("size", size), ("shift", shift), ("stride", stride)):
        if value <= 0:
            raise errors.InvalidArgumentError(None, None, f"Window {label} must be greater than zero.")
    return older.Sliding(input_dataset, size, shift, stride, drop_remainder)


@dataset_op("ExperimentalSlidingWindowDataset")
def experimental_sliding_window_dataset(_, input_dataset, window_size, window_shift, window_stride):
    return sliding_window_dataset.kernel(_, input_dataset, window_size, window_shift, window_stride)


# --- buffers and random numbers -------------------------------------------------------------------------------------


@dataset_op("CacheDataset", touches=("assets",))
def cache_dataset(_, input_dataset, filename, output_types, **attrs):
    return records.cache_dataset.kernel(_, input_dataset, filename, None, output_types, **attrs)


@dataset_op("ShuffleAndRepeatDataset")
def shuffle_and_repeat_dataset(_, input_dataset, buffer_size, seed, seed2, count, reshuffle_each_iteration=True):
    shuffled = records.shuffle_dataset.kernel(_, input_dataset, buffer_size, seed, seed2, reshuffle_each_iteration)
    shuffled.hidden = True
    return order.ShuffleAndRepeat(shuffled, int(count))


@dataset_op("ShuffleDatasetV2", writes=("seed_generator",))
def shuffle_dataset_v2(_, input_dataset, buffer_size, seed_generator):
    return buffers.Shuffle(input_dataset, int(buffer_size), seed_generator.generator)


@dataset_op("SamplingDataset")
def sampling_dataset(_, input_dataset, rate, seed, seed2):
    return older.Sampling(input_dataset, float(rate), buffers.SeedGenerator(Words, *records.seeds(seed, seed2), False))


# --- sources --------------------------------------------------------------------------------------------------------


@dataset_op("SparseTensorSliceDataset", effect=True)
def sparse_tensor_slice_dataset(_, indices, values, dense_shape):
    """The rows of a sparse tensor, each as indices, values and shape."""
    require.sparse_parts(indices, values, dense_shape)
    if len(values) != len(indices):
        counts = f"Got {len(values)} values, indices shape: {rules.text(indices.shape)}"
        raise errors.InvalidArgumentError(
            None, None, f"Number of values must match first dimension of indices. {counts}"
        )
    if len(dense_shape) != indices.shape[1]:
        counts = f"Got {len(dense_shape)} dimensions, indices shape: {rules.text(indices.shape)}"
        raise errors.InvalidArgumentError(
            None, None, f"Number of dimensions must match second dimension of indices. {counts}"
        )
    if (dense_shape < 0).any():
        raise errors.InvalidArgumentError(
            None, None, f"Expected a non-negative size, got {dense_shape[dense_shape < 0][0]}"
        )
    require.sparse_shape(dense_shape)
    rows = indices[:, 0]
    if (np.diff(rows) < 0).any():
        raise errors.UnimplementedError(
            None, None,
            "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input "
            "is not currently supported.",
        )
    at = np.searchsorted(rows, np.arange(int(dense_shape[0]) + 1))
    return Listed(
        [
            [indices[a:b, 1:], values[a:b], dense_shape[1:]]
            for a, b in zip(at[:-1].tolist(), at[1:].tolist(), strict=True)
        ]
    )


@dataset_op("MatchingFilesDataset", effect=True, touches=("files",))
def matching_files_dataset(_, patterns):
    """The names of the files that match, sorted for each pattern; an error if there are none."""
    matching = registry.get("MatchingFiles").kernel
    found = [name for pattern in patterns.reshape(-1, 1) for name in matching(host_xp, pattern).tolist()]
    if not found:
        raise errors.NotFoundError(None, None, "Don't find any matched files")
    return Listed([[host_xp.asarray(np.array(name, object), np.dtype(object))] for name in found])


also_called("ExperimentalMatchingFilesDataset", matching_files_dataset)


# --- elements as one value ------------------------------------------------------------------------------------------


@op("CompressElement", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def compress_element(_, components):
    return older.Compressed(list(components))


@components_op("UncompressElement")
def uncompress_element(_, compressed, output_types):
    if not isinstance(compressed, older.Compressed):
        raise errors.InvalidArgumentError(None, None, "Input does not contain a compressed element.")
    found = [EagerTensor(value).dtype for value in compressed.components]
    if len(found) != len(output_types):
        raise errors.FailedPreconditionError(
            None, None, f"Expected {len(output_types)} outputs from uncompress, but got {len(found)}"
        )
    for expected, kind in zip(output_types, found, strict=True):
        if kind is not expected:
            raise errors.FailedPreconditionError(
                None, None, f"Expected a tensor of type {expected.name} but got a tensor of type {kind.name}"
            )
    return tuple(compressed.components)


# --- handles with deleters ------------------------------------------------------------------------------------------
# A handle is freed with its last tensor; the deleter exists for graphs that name it.


def _with_deleter(name: str, make) -> None:
    """The op that makes a handle and what deletes it."""

    @op(name, shape=lambda f: [(), ()], grad=NO_GRADIENT, host=True, effect=True)
    def kernel(_, *operands, **attrs):
        return make(*operands, **attrs), older.Deleter()


def _seed_generator(seed, seed2, reshuffle):
    require.scalar("reshuffle", reshuffle)
    return older.Seeds(buffers.SeedGenerator(Words, *records.seeds(seed, seed2), bool(reshuffle)))


_with_deleter("AnonymousIteratorV2", lambda **attrs: IteratorResource())
_with_deleter("AnonymousMemoryCache", values.Dummy)
_with_deleter("AnonymousSeedGenerator", _seed_generator)
_with_deleter("AnonymousMultiDeviceIterator", lambda devices, **attrs: older.MultiDeviceIterator(devices))


def _delete(_, *handles):
    return ()


for _name, _handles in (
    ("DeleteIterator", ("handle",)), ("DeleteMultiDeviceIterator", ("multi_device_iterator", "iterators"))
):
    op(_name, shape=rules.no_outputs, grad=NO_GRADIENT, host=True, writes=_handles)(_delete)


# --- one dataset for several devices --------------------------------------------------------------------------------


def _multi_device_iterator(_, devices, container="", **attrs):
    check_container(container)
    return older.MultiDeviceIterator(devices)


for _name in ("MultiDeviceIterator", "AnonymousMultiDeviceIteratorV3"):
    dataset_op(_name, effect=True)(_multi_device_iterator)


@op("MultiDeviceIteratorInit", shape=rules.scalar, grad=NO_GRADIENT, host=True, writes=("multi_device_iterator",))
def multi_device_iterator_init(_, dataset, multi_device_iterator, max_buffer_size):
    return np.asarray(multi_device_iterator.start(dataset), np.int64)


@components_op("MultiDeviceIteratorGetNextFromShard", writes=("multi_device_iterator",))
def multi_device_iterator_get_next(_, multi_device_iterator, shard_num, incarnation_id):
    return tuple(multi_device_iterator.get_next(int(shard_num), int(incarnation_id)))


@op(
    "MultiDeviceIteratorToStringHandle", shape=rules.scalar, grad=NO_GRADIENT, host=True,
    reads=("multi_device_iterator",),
)
def multi_device_iterator_to_string_handle(_, multi_device_iterator):
    return records.iterator_to_string_handle.kernel(_, multi_device_iterator)


dataset_op("MultiDeviceIteratorFromStringHandle", effect=True)(records.from_string_handle)


# --- what is known about a dataset or iterator ------------------------------------------------------------------------


@op("GetOptions", shape=rules.scalar, grad=NO_GRADIENT, host=True)
def get_options(_, input_dataset):
    """The options of a dataset, serialized; those of the last transformation that set any."""
    return np.array(_options(input_dataset), object)


def _options(dataset) -> bytes:
    text = getattr(dataset, "serialized_options", None)
    if text is not None:
        return text.encode() if isinstance(text, str) else text
    return _options(dataset.inputs[0]) if len(dataset.inputs) == 1 else b""


@op("SerializeIterator", shape=rules.scalar, grad=NO_GRADIENT, host=True, reads=("resource_handle",))
def serialize_iterator(_, resource_handle, external_state_policy=external_state.WARN):
    """The position of an iterator, in a variant."""
    state = resource_handle.state()
    external_state.check(resource_handle.dataset, external_state_policy)
    return older.Position(state)


@op("DeserializeIterator", shape=rules.no_outputs, grad=NO_GRADIENT, host=True, writes=("resource_handle",))
def deserialize_iterator(_, resource_handle, serialized):
    resource_handle.restore(serialized.state)
    return ()


@op("IteratorGetDevice", shape=rules.scalar, grad=NO_GRADIENT, host=True, reads=("resource",))
def iterator_get_device(_, resource):
    return np.array(b"/job:localhost/replica:0/task:0/device:CPU:0", object)


also_called("ExperimentalIteratorGetDevice", iterator_get_device)


@dataset_op("DummyIterationCounter", effect=True)
def dummy_iteration_counter(_):
    return values.Dummy()
