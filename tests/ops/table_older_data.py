"""Dataset ops of older graphs: other names, forms with fewer operands, transformations that only tune."""
# ruff: noqa: E501 - a case is one line

import os
import tempfile

from tests.ops.inputs import const
from tests.ops.table import EAGER, case, raw
from tests.ops.table_data import gathered, numbers, older

_TEN = const(list(range(10)), "int64")


def _shapes(tf, *shapes, dtype="int64"):
    return dict(output_types=[tf.as_dtype(dtype)] * len(shapes), output_shapes=[tf.TensorShape(s) for s in shapes])


def _function(tf, body, *types):
    """A concrete function of scalars."""
    return tf.function(body).get_concrete_function(*(tf.TensorSpec([], tf.as_dtype(t)) for t in types or ("int64",)))


def _range(tf, i):
    """A dataset tensor of three numbers that begin with `i`."""
    return raw(tf, "RangeDataset", start=i, stop=i + 3, step=tf.constant(1, tf.int64), **_shapes(tf, []))


def built(name, build, covers=(), shape=()):
    """A case of an op from a dataset of ten numbers to `build(tf, raw op, dataset, types)`."""
    def expression(tf, x):
        source, types = numbers(tf, x)
        return gathered(tf, build(tf, getattr(tf.raw_ops, name), source, types), shape=shape)

    case(name, expression, _TEN, modes=EAGER, grad=False, covers=covers)


# --- the same elements
for _name in ("NonSerializableDataset", "ExperimentalNonSerializableDataset", "ExperimentalUniqueDataset"):
    older(_name)
for _name in ("LatencyStatsDataset", "BytesProducedStatsDataset"):
    older(_name, tag="t")
    older(f"Experimental{_name}", tag="t")
for _name, _arguments in (("MaxIntraOpParallelismDataset", dict(max_intra_op_parallelism=2)), ("PrivateThreadPoolDataset", dict(num_threads=2)),
                          ("SleepDataset", dict(sleep_microseconds=1)), ("IgnoreErrorsDataset", {})):
    if _name != "IgnoreErrorsDataset":
        older(_name, **_arguments)
    older(f"Experimental{_name}", **_arguments)
built("WeightedFlatMapDataset", lambda tf, op, d, types: op(input_datasets=[d, d], weights=[1.0, 2.0], **types))
for _name in ("AssertNextDataset", "ExperimentalAssertNextDataset"):
    built(_name, lambda tf, op, d, types: op(input_dataset=d, transformations=["Batch"], **types))
built("AssertPrevDataset", lambda tf, op, d, types: op(input_dataset=d, transformations=['name: "TensorSliceDataset"'], **types))
built("SnapshotDataset", lambda tf, op, d, types: op(input_dataset=d, path=tempfile.mkdtemp(), snapshot_name="s", **types))
older("OptimizeDataset", optimizations=["map_fusion"])
older("OptimizeDatasetV2", optimizations_enabled=["map_fusion"], optimizations_disabled=["noop_elimination"], optimizations_default=[])
older("RewriteDataset", rewrite_name="replicate_on_split")
for _p in ("", "Experimental"):
    built(f"{_p}ThreadPoolDataset", lambda tf, op, d, types, _p=_p: op(input_dataset=d, thread_pool=raw(tf, f"{_p}ThreadPoolHandle", num_threads=2, display_name="pool"), **types), covers=(f"{_p}ThreadPoolHandle",))
    built(f"{_p}ChooseFastestDataset", lambda tf, op, d, types: op(input_datasets=[d, d], num_experiments=2, **types))
    case(f"{_p}AutoShardDataset", lambda tf, x, _p=_p: [gathered(tf, raw(tf, f"{_p}AutoShardDataset", input_dataset=numbers(tf, x)[0], num_workers=3, index=1, auto_shard_policy=policy, **_shapes(tf, []))) for policy in (2, 0, -1)], _TEN, modes=EAGER, grad=False)
built("WrapDatasetVariant", lambda tf, op, d, types: raw(tf, "UnwrapDatasetVariant", input_handle=op(input_handle=d)), covers=("UnwrapDatasetVariant",))
built("CacheDataset", lambda tf, op, d, types: op(input_dataset=d, filename="", **types))

# --- functions
built("ExperimentalTakeWhileDataset", lambda tf, op, d, types: op(input_dataset=d, other_arguments=[], predicate=_function(tf, lambda i: i < 4), **types))
built("ParallelFilterDataset", lambda tf, op, d, types: op(input_dataset=d, other_arguments=[], num_parallel_calls=2, deterministic="true", predicate=_function(tf, lambda i: i % 3 == 1), **types))
built("ExperimentalScanDataset", lambda tf, op, d, types: op(input_dataset=d, initial_state=[tf.constant(0, tf.int64)], other_arguments=[], f=_function(tf, lambda s, i: (s + i, s * i), "int64", "int64"), **types))
for _name in ("MapAndBatchDataset", "ExperimentalMapAndBatchDataset"):
    for _drop in (False, True):
        case(f"{_name} {_drop}", lambda tf, x, _n=_name, _d=_drop: raw(tf, "DatasetToSingleElement", dataset=raw(tf, "SkipDataset", count=1, input_dataset=raw(tf, _n, input_dataset=numbers(tf, x)[0], other_arguments=[], batch_size=6 - _d, num_parallel_calls=2, drop_remainder=_d, f=_function(tf, lambda i: i * 2), **_shapes(tf, [None])), **_shapes(tf, [None])), **_shapes(tf, [None])), _TEN, modes=EAGER, grad=False)
for _name, _more in (("ParallelInterleaveDataset", dict(sloppy=False, buffer_output_elements=1, prefetch_input_elements=0)), ("ExperimentalParallelInterleaveDataset", dict(sloppy=False, buffer_output_elements=1, prefetch_input_elements=0)),
                     ("LegacyParallelInterleaveDatasetV2", dict(deterministic="true", buffer_output_elements=1, prefetch_input_elements=0)), ("ParallelInterleaveDatasetV2", dict(num_parallel_calls=2)),
                     ("ParallelInterleaveDatasetV3", dict(num_parallel_calls=2, deterministic="true"))):
    built(_name, lambda tf, op, d, types, _more=_more: op(input_dataset=raw(tf, "TakeDataset", input_dataset=d, count=4, **types), other_arguments=[], cycle_length=2, block_length=2, f=_function(tf, lambda i: _range(tf, i)), **_more, **types))
built("ExperimentalGroupByWindowDataset", lambda tf, op, d, types: op(
    input_dataset=d, key_func_other_arguments=[], reduce_func_other_arguments=[], window_size_func_other_arguments=[], key_func=_function(tf, lambda i: i % 2),
    reduce_func=tf.function(lambda key, group: raw(tf, "TakeDataset", input_dataset=group, count=tf.constant(2, tf.int64), **types)).get_concrete_function(tf.TensorSpec([], tf.int64), tf.TensorSpec([], tf.variant)),
    window_size_func=_function(tf, lambda key: tf.constant(3, tf.int64)), **types))
built("ExperimentalGroupByReducerDataset", lambda tf, op, d, types: op(
    input_dataset=d, key_func_other_arguments=[], init_func_other_arguments=[], reduce_func_other_arguments=[], finalize_func_other_arguments=[], key_func=_function(tf, lambda i: i % 3),
    init_func=_function(tf, lambda key: key * 0), reduce_func=_function(tf, lambda s, i: s + i, "int64", "int64"), finalize_func=_function(tf, lambda s: s * 2), **types))
built("ExperimentalDirectedInterleaveDataset", lambda tf, op, d, types: op(selector_input_dataset=raw(tf, "RepeatDataset", input_dataset=raw(tf, "TakeDataset", input_dataset=d, count=2, **types), count=3, **types), data_input_datasets=[d, raw(tf, "SkipDataset", input_dataset=d, count=5, **types)], **types))

# --- batches
for _name in ("SlidingWindowDataset", "ExperimentalSlidingWindowDataset"):
    built(_name, lambda tf, op, d, types: op(input_dataset=d, window_size=3, window_shift=2, window_stride=2, **_shapes(tf, [3])), shape=(3,))
built("ExperimentalUnbatchDataset", lambda tf, op, d, types: op(input_dataset=raw(tf, "BatchDataset", input_dataset=d, batch_size=4, **_shapes(tf, [None])), **types))
built("PaddedBatchDataset", lambda tf, op, d, types: op(input_dataset=raw(tf, "BatchDatasetV2", input_dataset=d, batch_size=2, drop_remainder=True, **_shapes(tf, [2])), batch_size=5, padded_shapes=[tf.constant([3], tf.int64)], padding_values=[tf.constant(-1, tf.int64)], output_shapes=[tf.TensorShape([None, 3])]), shape=(5, 3))
case("ExperimentalDatasetCardinality", lambda tf, x: raw(tf, "ExperimentalDatasetCardinality", input_dataset=numbers(tf, x)[0]), _TEN, modes=EAGER, grad=False)


def _sparse_batch(tf, x):
    batch = raw(tf, "ExperimentalDenseToSparseBatchDataset", input_dataset=raw(tf, "BatchDataset", input_dataset=numbers(tf, x)[0], batch_size=4, **_shapes(tf, [None])), batch_size=5, row_shape=tf.constant([6], tf.int64), output_types=[tf.variant], output_shapes=[tf.TensorShape([3])])
    return raw(tf, "ExperimentalDatasetCardinality", input_dataset=batch)


case("ExperimentalDenseToSparseBatchDataset", _sparse_batch, _TEN, modes=EAGER, grad=False)

# --- random numbers
older("ShuffleAndRepeatDataset", buffer_size=4, seed=1, seed2=2, count=2)
older("SamplingDataset", rate=0.5, seed=1, seed2=2)


def _shuffled(tf, x):
    source, types = numbers(tf, x)
    out = []
    for fresh in (False, True):
        seeds, _ = raw(tf, "AnonymousSeedGenerator", seed=3, seed2=4, reshuffle=fresh)
        shuffled = raw(tf, "ShuffleDatasetV2", input_dataset=source, buffer_size=5, seed_generator=seeds, **types)
        out += [gathered(tf, shuffled), gathered(tf, shuffled)]
    return out


case("ShuffleDatasetV2", _shuffled, _TEN, modes=EAGER, grad=False, covers=("AnonymousSeedGenerator",))
case("ExperimentalRandomDataset", lambda tf: gathered(tf, raw(tf, "TakeDataset", input_dataset=raw(tf, "ExperimentalRandomDataset", seed=3, seed2=4, **_shapes(tf, [])), count=3, **_shapes(tf, []))), modes=EAGER, grad=False)

# --- sources


def _sparse_rows(tf, x):
    rows = raw(tf, "SparseTensorSliceDataset", indices=tf.constant([[0, 1], [0, 3], [2, 0]], tf.int64), values=x[1:4], dense_shape=tf.constant([4, 5], tf.int64))
    return raw(tf, "ReduceDataset", input_dataset=rows, initial_state=[tf.constant(0, tf.int64)], other_arguments=[], **_shapes(tf, []),
               f=tf.function(lambda s, i, v, n: s * 10 + tf.reduce_sum(v) + tf.reduce_sum(i)).get_concrete_function(
                   tf.TensorSpec([], tf.int64), tf.TensorSpec([None, 1], tf.int64), tf.TensorSpec([None], tf.int64), tf.TensorSpec([1], tf.int64)))


case("SparseTensorSliceDataset", _sparse_rows, _TEN, modes=EAGER, grad=False)


def _files(tf, *texts):
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, f"{i}.txt") for i in range(len(texts))]
    for path, text in zip(paths, texts):
        tf.io.write_file(path, text)
    return folder, paths


def _matched(tf, name):
    folder, _ = _files(tf, "a", "b", "c")
    names = raw(tf, name, patterns=[os.path.join(folder, "[02].txt"), os.path.join(folder, "1*")])
    return tf.strings.regex_replace(gathered(tf, names, dtype="string"), ".*/", "")


for _name in ("MatchingFilesDataset", "ExperimentalMatchingFilesDataset"):
    case(_name, lambda tf, _n=_name: _matched(tf, _n), modes=EAGER, grad=False)
case("FixedLengthRecordDataset", lambda tf: gathered(tf, raw(tf, "FixedLengthRecordDataset", filenames=_files(tf, "HHabcdefF", "HHxyF")[1], header_bytes=2, record_bytes=2, footer_bytes=1, buffer_size=0), dtype="string"), modes=EAGER, grad=False)
for _name in ("CSVDataset", "ExperimentalCSVDataset"):
    case(_name, lambda tf, _n=_name: gathered(tf, raw(tf, _n, filenames=_files(tf, "a,b,c\n1,2,3\n4,,6\n")[1], compression_type="", buffer_size=tf.constant(100, tf.int64), header=True, field_delim=",", use_quote_delim=True, na_value="", select_cols=tf.constant([1], tf.int64), record_defaults=[tf.constant([7], tf.int64)], output_shapes=[tf.TensorShape([])])), modes=EAGER, grad=False)


def _written(tf, x):
    path = os.path.join(tempfile.mkdtemp(), "records")
    texts = raw(tf, "TensorSliceDataset", components=[tf.strings.as_string(x)], output_shapes=[tf.TensorShape([])])
    raw(tf, "ExperimentalDatasetToTFRecord", input_dataset=texts, filename=path, compression_type="")
    return gathered(tf, raw(tf, "TFRecordDataset", filenames=[path], compression_type="", buffer_size=0), dtype="string")


case("ExperimentalDatasetToTFRecord", _written, _TEN, modes=EAGER, grad=False)

# --- elements and iterators
case("CompressElement", lambda tf, x: raw(tf, "UncompressElement", compressed=raw(tf, "CompressElement", components=[x, tf.strings.as_string(x)]), output_types=[x.dtype, tf.string], output_shapes=[tf.TensorShape([10]), tf.TensorShape([10])]), _TEN, modes=EAGER, grad=False, covers=("UncompressElement",))


def _read(tf, x, name, **arguments):
    source, types = numbers(tf, x)
    made = raw(tf, name, **arguments, **types)
    iterator, deleter = made if name.endswith("V2") else (made, None)
    raw(tf, "MakeIterator", dataset=source, iterator=iterator)
    out = [raw(tf, "IteratorGetNext", iterator=iterator, **types)[0] for _ in range(2)]
    if deleter is not None:
        raw(tf, "DeleteIterator", handle=iterator, deleter=deleter)
    return out


case("Iterator", lambda tf, x: _read(tf, x, "Iterator", shared_name="", container=""), _TEN, modes=EAGER, grad=False)
case("AnonymousIterator", lambda tf, x: _read(tf, x, "AnonymousIterator"), _TEN, modes=EAGER, grad=False)
case("AnonymousIteratorV2", lambda tf, x: _read(tf, x, "AnonymousIteratorV2"), _TEN, modes=EAGER, grad=False, covers=("DeleteIterator",))


def _memory_cache(tf, x):
    source, types = numbers(tf, x)
    cache, _ = raw(tf, "AnonymousMemoryCache")
    cached = raw(tf, "CacheDatasetV2", input_dataset=source, filename="", cache=cache, **types)
    return [gathered(tf, cached), gathered(tf, cached)]


case("AnonymousMemoryCache", _memory_cache, _TEN, modes=EAGER, grad=False)


def _two_devices(tf, x, name, **arguments):
    """What two shards read, and by another name of the iterator."""
    source, types = numbers(tf, x)
    made = raw(tf, name, devices=["/cpu:0", "/cpu:0"], **arguments, **types)
    iterator, deleter = made if name == "AnonymousMultiDeviceIterator" else (made, None)
    number = raw(tf, "MultiDeviceIteratorInit", dataset=source, multi_device_iterator=iterator, max_buffer_size=2)
    read = lambda handle, shard: raw(tf, "MultiDeviceIteratorGetNextFromShard", multi_device_iterator=handle, shard_num=shard, incarnation_id=number, **types)[0]
    out = [read(iterator, 1), read(iterator, 0), read(iterator, 0)]
    if deleter is not None:
        raw(tf, "DeleteMultiDeviceIterator", multi_device_iterator=iterator, iterators=[iterator], deleter=deleter)
    elif name == "MultiDeviceIterator":
        text = raw(tf, "MultiDeviceIteratorToStringHandle", multi_device_iterator=iterator)
        out.append(read(raw(tf, "MultiDeviceIteratorFromStringHandle", string_handle=text, **types), 1))
    return out


case("MultiDeviceIterator", lambda tf, x: _two_devices(tf, x, "MultiDeviceIterator", shared_name="multi", container=""), _TEN, modes=EAGER, grad=False, covers=("MultiDeviceIteratorInit", "MultiDeviceIteratorGetNextFromShard", "MultiDeviceIteratorToStringHandle", "MultiDeviceIteratorFromStringHandle"))
case("AnonymousMultiDeviceIterator", lambda tf, x: _two_devices(tf, x, "AnonymousMultiDeviceIterator"), _TEN, modes=EAGER, grad=False, covers=("DeleteMultiDeviceIterator",))
case("AnonymousMultiDeviceIteratorV3", lambda tf, x: _two_devices(tf, x, "AnonymousMultiDeviceIteratorV3"), _TEN, modes=EAGER, grad=False)


def _split(tf, x, name):
    """Batches of four numbers in three parts each, one of them empty; the parts as rows of one tensor."""
    number = lambda n: tf.constant(n, tf.int64)
    batched = raw(tf, "BatchDatasetV2", input_dataset=numbers(tf, x)[0], batch_size=number(4), drop_remainder=False, **_shapes(tf, [None]))
    parts = raw(tf, name, input_dataset=batched, num_replicas=number(3), **_shapes(tf, [None]))
    rows = raw(tf, "PaddedBatchDatasetV2", input_dataset=parts, batch_size=number(20), padded_shapes=[number([-1])], padding_values=[number(-1)], drop_remainder=False, output_shapes=[tf.TensorShape([None, None])])
    return raw(tf, "DatasetToSingleElement", dataset=rows, **_shapes(tf, [None, None]))


for _p in ("", "Experimental"):
    case(f"{_p}RebatchDataset", lambda tf, x, _p=_p: _split(tf, x, f"{_p}RebatchDataset"), _TEN, modes=EAGER, grad=False)
