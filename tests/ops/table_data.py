"""Datasets, iterators, files and Python functions: a case runs a whole pipeline at once and lists what it gives."""
# ruff: noqa: E501 - a case is one line

import base64
import os
import tempfile

from tests.ops.inputs import const, ints, normal, unit
from tests.ops.table import EAGER, case, raw


def pipeline(name, build, covers=()):
    """A case whose outputs are the elements of `build(tf, ds)`, where ds holds the numbers 0 to 9."""
    case(name, lambda tf, x: list(build(tf, tf.data.Dataset.from_tensor_slices(x))), const(list(range(10)), "int64"), modes=EAGER, grad=False, covers=covers)


pipeline("TensorSliceDataset", lambda tf, d: d, covers=("AnonymousIteratorV3", "IteratorGetNext", "MakeIterator"))
pipeline("OptionsDataset", lambda tf, d: d.with_options(tf.data.Options()))
pipeline("TensorDataset", lambda tf, d: tf.data.Dataset.from_tensors([[1.0, 2.0]]))
pipeline("RangeDataset", lambda tf, d: tf.data.Dataset.range(3, 12, 4))
pipeline("BatchDatasetV2", lambda tf, d: d.batch(4))
pipeline("BatchDatasetV2 drop", lambda tf, d: d.batch(4, drop_remainder=True))
pipeline("ParallelBatchDataset", lambda tf, d: d.batch(4, num_parallel_calls=2, deterministic=True))
pipeline("PaddedBatchDatasetV2", lambda tf, d: d.map(lambda i: tf.fill([i % 3], i)).padded_batch(4, padding_values=tf.constant(-1, tf.int64)))
pipeline("UnbatchDataset", lambda tf, d: d.batch(3).unbatch())
pipeline("RebatchDatasetV2", lambda tf, d: d.batch(4).rebatch([3, 2]))
pipeline("MapDataset", lambda tf, d: d.map(lambda i: (i * i, tf.cast(i, tf.float32) / 2.0)))
pipeline("ParallelMapDatasetV2", lambda tf, d: d.map(lambda i: i * i, num_parallel_calls=2, deterministic=True))
pipeline("FilterDataset", lambda tf, d: d.filter(lambda i: i % 3 == 1))
pipeline("FlatMapDataset", lambda tf, d: d.flat_map(lambda i: tf.data.Dataset.range(i % 3)))
pipeline("InterleaveDataset", lambda tf, d: d.interleave(lambda i: tf.data.Dataset.range(i, i + 3), cycle_length=3, block_length=2))
pipeline("ParallelInterleaveDatasetV4", lambda tf, d: d.interleave(lambda i: tf.data.Dataset.range(i, i + 3), cycle_length=3, block_length=2, num_parallel_calls=2, deterministic=True))
pipeline("ConcatenateDataset", lambda tf, d: d.take(2).concatenate(d.skip(8)), covers=("TakeDataset", "SkipDataset"))
pipeline("RepeatDataset", lambda tf, d: d.take(3).repeat(2))
pipeline("TakeWhileDataset", lambda tf, d: d.take_while(lambda i: i < 4))
pipeline("ShardDataset", lambda tf, d: d.shard(3, 1))
pipeline("ZipDataset", lambda tf, d: tf.data.Dataset.zip((d, d.skip(7))))
pipeline("UniqueDataset", lambda tf, d: d.map(lambda i: i % 4).unique())
pipeline("CacheDatasetV2", lambda tf, d: (lambda c: [*c, *c])(d.cache()), covers=("DummyMemoryCache",))
pipeline("PrefetchDataset", lambda tf, d: d.prefetch(2))
pipeline("IgnoreErrorsDataset", lambda tf, d: d.map(lambda i: tf.debugging.check_numerics(1.0 / tf.cast(i % 3, tf.float32), "x")).ignore_errors())
pipeline("AssertCardinalityDataset", lambda tf, d: d.filter(lambda i: i > 5).apply(tf.data.experimental.assert_cardinality(4)))
pipeline("DatasetCardinality", lambda tf, d: [d.batch(3).cardinality(), d.filter(lambda i: i > 1).cardinality(), d.repeat().cardinality()])
pipeline("DatasetToSingleElement", lambda tf, d: [d.batch(20).get_single_element()])
pipeline("ReduceDataset", lambda tf, d: [d.reduce(tf.constant(1, tf.int64), lambda s, i: s + i)])
pipeline("ScanDataset", lambda tf, d: d.scan(tf.constant(0, tf.int64), lambda s, i: (s + i, s * i)))
pipeline("WindowDataset", lambda tf, d: d.window(3, shift=2).flat_map(lambda w: w.batch(3)))
pipeline("WindowDataset drop", lambda tf, d: d.window(3, shift=1, stride=2, drop_remainder=True).flat_map(lambda w: w.batch(3)))
pipeline("GroupByWindowDataset", lambda tf, d: d.group_by_window(lambda i: i % 2, lambda key, group: group.batch(3), window_size=3))
pipeline("DirectedInterleaveDataset", lambda tf, d: tf.data.Dataset.choose_from_datasets([d, d.skip(5)], tf.data.Dataset.range(2).repeat(3)))
pipeline("Reflow>PythonGeneratorDataset", lambda tf, d: tf.data.Dataset.from_generator(lambda: iter([[1, 2], [3]]), output_signature=tf.TensorSpec([None], tf.int32)))
pipeline("GetElementAtIndex", lambda tf, d: [d.map(lambda i: i * 3)[2]] if hasattr(d, "__getitem__") else [tf.data.experimental.at(d.map(lambda i: i * 3), 2)])
pipeline("ShuffleDatasetV3", lambda tf, d: tf.random.set_seed(5) or d.shuffle(10, seed=7, reshuffle_each_iteration=False), covers=("DummySeedGenerator",))
pipeline("RandomDataset", lambda tf, d: tf.random.set_seed(5) or tf.data.Dataset.random(seed=3).take(3))
pipeline("IteratorGetNextAsOptional", lambda tf, d: (lambda o: [o.has_value(), o.get_value()])(iter(d).get_next_as_optional()), covers=("OptionalHasValue", "OptionalGetValue"))
pipeline("OptionalFromValue", lambda tf, d: (lambda o, n: [o.has_value(), o.get_value(), n.has_value()])(
    tf.experimental.Optional.from_value(tf.constant([1.0, 2.0])), tf.experimental.Optional.empty(tf.TensorSpec([], tf.float32))), covers=("OptionalNone",))

# --- the ops of older graphs, on dataset tensors


def gathered(tf, dataset, dtype="int64", shape=()):
    """All elements of a dataset tensor as one tensor."""
    types = dict(output_types=[tf.as_dtype(dtype)], output_shapes=[tf.TensorShape([None, *shape])])
    batch = raw(tf, "BatchDatasetV2", input_dataset=dataset, batch_size=20, drop_remainder=False, **types)
    return raw(tf, "DatasetToSingleElement", dataset=batch, **types)


def older(name, **arguments):
    """A case of an op from one dataset of numbers to another."""
    def expression(tf, x):
        source, types = numbers(tf, x)
        return gathered(tf, raw(tf, name, input_dataset=source, **arguments, **types))

    case(name, expression, const(list(range(10)), "int64"), modes=EAGER, grad=False)


older("ShuffleDataset", buffer_size=4, seed=1, seed2=2)


def numbers(tf, x):
    """A dataset tensor of the elements of a vector, and their type and shape."""
    types = dict(output_types=[x.dtype], output_shapes=[tf.TensorShape([])])
    return raw(tf, "TensorSliceDataset", components=[x], output_shapes=types["output_shapes"]), types


def _batched(tf, x):
    types = dict(output_types=[x.dtype], output_shapes=[tf.TensorShape([None])])
    return raw(tf, "DatasetToSingleElement", dataset=raw(tf, "BatchDataset", input_dataset=numbers(tf, x)[0], batch_size=10, **types), **types)


def _iterated(tf, x):
    source, types = numbers(tf, x)
    iterator = raw(tf, "IteratorV2", shared_name="", container="", **types)
    raw(tf, "MakeIterator", dataset=source, iterator=iterator)
    return [raw(tf, "IteratorGetNext", iterator=iterator, **types), raw(tf, "IteratorGetNextSync", iterator=iterator, **types)]


case("BatchDataset", _batched, const([1, 2, 3], "int64"), modes=EAGER, grad=False)
case("IteratorV2", _iterated, const([1, 2, 3], "int64"), modes=EAGER, grad=False, covers=("IteratorGetNextSync",))

# --- Python functions, effects and resources

case("EagerPyFunc", lambda tf, x: tf.py_function(lambda v: v * v + 1.0, [x], tf.float32), normal(2, 3))
case("Reflow>VMap", lambda tf, x, w: tf.vectorized_map(lambda r: tf.reduce_sum(tf.sin(r) * w), x), normal(3, 2), normal(2))
case("PyFunc", lambda tf, x: tf.numpy_function(lambda v: v * 2, [x], tf.float32), normal(2, 3), modes=("traced",), grad=False)
case("PyFuncStateless", lambda tf, x: tf.numpy_function(lambda v: v * 2, [x], tf.float32, stateful=False), normal(2, 3), modes=("traced",), grad=False)
case("StringFormat", lambda tf, x: raw(tf, "StringFormat", inputs=[x, x[0]], template="{} and {}", placeholder="{}"), const([[1, 2], [3, 4]], "int32"), grad=False)
case("NonDeterministicInts", lambda tf: tf.shape(raw(tf, "NonDeterministicInts", shape=[2, 3], dtype=tf.int32)), modes=EAGER, grad=False)
case("VarIsInitializedOp", lambda tf, x: tf.Variable(x).is_initialized(), normal(2), modes=EAGER, grad=False)


def _destroyed(tf, x):
    variable = tf.Variable(x)
    value = variable + 1.0
    raw(tf, "DestroyResourceOp", resource=variable.handle)
    return value


case("DestroyResourceOp", _destroyed, normal(2), modes=EAGER, grad=False)
case("TensorListScatterV2", lambda tf, x: raw(tf, "TensorListStack", input_handle=raw(tf, "TensorListScatterV2", tensor=x, indices=[2, 0], element_shape=[2], num_elements=3),
                                              element_shape=[2], element_dtype=x.dtype), normal(2, 2))


def _printed(tf, x):
    with tf.control_dependencies([tf.print(x, output_stream="file:///dev/null")]):
        return tf.identity(x)


case("PrintV2", _printed, normal(2), modes=("traced",), grad=False)


def _after_nothing(tf, x):
    with tf.control_dependencies([tf.no_op()]):
        return tf.identity(x) * 2.0


case("NoOp", _after_nothing, normal(2), modes=("traced",))

# --- control flow around an effect: here a check, so that the stateful forms are built


def _checked(tf, x):
    tf.debugging.Assert(tf.reduce_all(x > -100.0), [x])
    return x * x


case("If", lambda tf, x: tf.cond(tf.reduce_sum(x) > -50.0, lambda: _checked(tf, x), lambda: x), normal(3), modes=("traced",))
case("Case", lambda tf, i, x: tf.switch_case(i, [lambda: x, lambda: _checked(tf, x), lambda: tf.sin(x)]), const(1, "int32"), normal(3), modes=("traced",))
case("While", lambda tf, x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, _checked(tf, y) * 0.5), [tf.constant(0), x])[1], normal(3), modes=("traced",))
case("StatefulPartitionedCall", lambda tf, x: tf.function(lambda y: _checked(tf, y))(x), normal(3), modes=("traced",), covers=("Placeholder",))

# --- files


def written(tf, *contents):
    """A folder with files of the given contents, and their names."""
    folder = tempfile.mkdtemp()
    names = [os.path.join(folder, f"{i}.txt") for i in range(len(contents))]
    for name, text in zip(names, contents):
        tf.io.write_file(name, text)
    return folder, names


case("ReadFile", lambda tf: tf.io.read_file(written(tf, b"one\ntwo")[1][0]), modes=EAGER, grad=False, covers=("WriteFile",))
case("MatchingFiles", lambda tf: tf.shape(tf.io.matching_files(written(tf, b"a", b"b", b"c")[0] + "/[01].t?t")), modes=EAGER, grad=False)
case("DecodeRaw", lambda tf: [tf.io.decode_raw(tf.constant([b"\1\0\2\0", b"\3\0\0\4"]), t, little_endian=e) for t, e in ((tf.uint8, True), (tf.int16, True), (tf.int16, False))],
     modes=EAGER, grad=False)
case("TextLineDataset", lambda tf: list(tf.data.TextLineDataset(written(tf, b"one\ntwo\r\n", b"three\n\nfour")[1])), modes=EAGER, grad=False)


def _saved(tf, *prefixes):
    """A folder with a checkpoint for each prefix: a whole tensor, and the two parts of a partitioned one."""
    folder = tempfile.mkdtemp()
    for i, prefix in enumerate(prefixes):
        tensors = [tf.constant(["a", f"{i}"]), tf.reshape(tf.range(8.0), [4, 2]), tf.ones([2, 2])]
        names, parts = [f"s{i}", f"w{i}", f"w{i}"], ["", "6 2 0,4:-", "6 2 4,2:0,2"]
        tf.raw_ops.SaveV2(prefix=f"{folder}/{prefix}", tensor_names=names, shape_and_slices=parts, tensors=tensors)
    return folder


def _restored(tf, prefix, names, parts, kinds):
    return tf.raw_ops.RestoreV2(prefix=prefix, tensor_names=names, shape_and_slices=parts, dtypes=kinds)


def _merged(tf):
    folder = _saved(tf, "t/a", "t/b")
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=[f"{folder}/t/a", f"{folder}/t/b"], destination_prefix=f"{folder}/both")
    return _restored(tf, f"{folder}/both", ["w0", "s1"], ["", ""], [tf.float32, tf.string])


case("RestoreV2", lambda tf: _restored(tf, _saved(tf, "x") + "/x", ["w0", "s0", "w0"], ["", "", "6 2 3,2:-"], [tf.float32, tf.string, tf.float32]),
     modes=EAGER, grad=False, covers=("SaveV2",))
case("MergeV2Checkpoints", _merged, modes=EAGER, grad=False)


def _old_slices(tf):
    """A file of version 1 with a matrix in two parts."""
    name = os.path.join(tempfile.mkdtemp(), "old")
    tf.raw_ops.SaveSlices(filename=name, tensor_names=["w", "w"], shapes_and_slices=["6 2 0,4:-", "6 2 4,2:0,2"],
                          data=[tf.reshape(tf.range(8.0), [4, 2]), tf.ones([2, 2])])
    return name


def _old_file(tf):
    name = os.path.join(tempfile.mkdtemp(), "old")
    tf.raw_ops.Save(filename=name, tensor_names=["a", "s"], data=[tf.range(3), tf.constant(["x", "yz"])])
    return name


case("Restore", lambda tf: [tf.raw_ops.Restore(file_pattern=_old_file(tf), tensor_name=n, dt=t) for n, t in (("a", tf.int32), ("s", tf.string))],
     modes=EAGER, grad=False, covers=("Save",))
case("RestoreSlice", lambda tf: [tf.raw_ops.RestoreSlice(file_pattern=_old_slices(tf), tensor_name="w", shape_and_slice=p, dt=tf.float32) for p in ("", "6 2 3,2:-")],
     modes=EAGER, grad=False, covers=("SaveSlices",))
case("ShardedFilename", lambda tf: [tf.raw_ops.ShardedFilename(basename="m", shard=1, num_shards=3), tf.raw_ops.ShardedFilespec(basename="m", num_shards=3)],
     modes=EAGER, grad=False, covers=("ShardedFilespec",))


def _records(tf):
    name = os.path.join(tempfile.mkdtemp(), "x.tfrecord")
    with tf.io.TFRecordWriter(name) as writer:
        for i in range(3):
            writer.write(b"record %d" % i)
    both = [raw(tf, "TFRecordDataset", filenames=name, compression_type="", buffer_size=0),
            raw(tf, "TFRecordDatasetV2", filenames=[name], compression_type="", buffer_size=0, byte_offsets=tf.constant([0], tf.int64))]
    return [*tf.data.TFRecordDataset(name), *[gathered(tf, d, "string") for d in both]]


case("TFRecordDataset", _records, modes=EAGER, grad=False, covers=("TFRecordDatasetV2",))


def _examples(tf):
    def feature(**kind):
        return tf.train.Feature(**kind)

    rows = [tf.train.Example(features=tf.train.Features(feature={
        "a": feature(float_list=tf.train.FloatList(value=[i, i + 0.5])), "b": feature(int64_list=tf.train.Int64List(value=list(range(i)))),
        "c": feature(bytes_list=tf.train.BytesList(value=[b"x%d" % i]))})).SerializeToString() for i in range(3)]
    found = tf.io.parse_example(rows, {"a": tf.io.FixedLenFeature([2], tf.float32), "b": tf.io.VarLenFeature(tf.int64), "c": tf.io.FixedLenFeature([], tf.string),
                                       "d": tf.io.FixedLenFeature([1], tf.int64, default_value=[7])})
    return [found["a"], found["b"].indices, found["b"].values, found["b"].dense_shape, found["c"], found["d"]]


case("ParseExampleV2", _examples, modes=EAGER, grad=False)

# --- pictures in files

JPEG = base64.b64decode(
    "/9j/4AAQSkZJRgABAQEBLAEsAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoKCgoKBggLDAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCg"
    "oKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgr/wAARCAAJAAsDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUF"
    "BAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmq"
    "KjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC"
    "AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaXmJmaoqOkpaanqK"
    "mqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwDM+Af7fH2ryP8Aiden/LSvqXRf23d+lQN/a/VP+elfjL+zh/yw/CvsDw//AMga3/651+Tc"
    "P/Rs8PuIsP7bFU7v0R9/4C+DnCdHh+0YdF0Xkf/Z")
BMP = base64.b64decode(
    "Qk1mAAAAAAAAADYAAAAoAAAABQAAAAMAAAABABgAAAAAADAAAADEDgAAxA4AAAAAAAAAAAAAAM0CBM0qCM1SDM16EM2iAADmAQLmKQTmUQbmeQjmoQAA/wAA/ygA/1AA/3gA/6AA")
GIF = base64.b64decode(
    "R0lGODdhAwACAIEAAAoKChQUFB4eHgAAACwAAAAAAwACAAAICQABBBAgIACAgAAh+QQBAAADACwAAAAAAwACAIE8PDx4eHi0tLQAAAAICQABBBAgIACAgAA7")

case("DecodePng", lambda tf, x: [tf.io.decode_png(tf.io.encode_png(x)), tf.io.decode_png(tf.io.encode_png(x[..., :1]), channels=3)], ints(0, 256, 4, 5, 3, dtype="uint8"),
     modes=EAGER, grad=False, covers=("EncodePng",))
case("DecodePng deep", lambda tf, x: tf.io.decode_png(tf.io.encode_png(x), dtype=tf.uint16), ints(0, 65536, 4, 5, 1, dtype="uint16"), modes=EAGER, grad=False)
case("DecodeJpeg", lambda tf: [tf.io.decode_jpeg(JPEG, channels=c, dct_method="INTEGER_ACCURATE") for c in (0, 1)], modes=EAGER, grad=False)
case("ExtractJpegShape", lambda tf: tf.io.extract_jpeg_shape(JPEG), modes=EAGER, grad=False)
case("EncodeJpeg", lambda tf, x: tf.shape(tf.io.decode_jpeg(tf.io.encode_jpeg(x))), ints(0, 256, 4, 5, 3, dtype="uint8"), modes=EAGER, grad=False)
case("DecodeBmp", lambda tf: tf.io.decode_bmp(BMP), modes=EAGER, grad=False)
case("DecodeGif", lambda tf: tf.io.decode_gif(GIF), modes=EAGER, grad=False)
WEBP = base64.b64decode("UklGRlwAAABXRUJQVlA4IFAAAADQAQCdASoJAAcAAkA4JbACdAD0rjj3sAD+8ajf0RQ1tmOsUdCOr9r2p8g/ZZQX+T9fsYB27a+i7/Dv5OSK//60Rfn//Q3/zB/X2YG056QAAA==")
case("DecodeWebP", lambda tf: [tf.io.decode_webp(WEBP), tf.io.decode_webp(WEBP, channels=3)], modes=EAGER, grad=False)
case("DecodeImage", lambda tf: [tf.io.decode_image(BMP, dtype=tf.float32), tf.io.decode_image(GIF), tf.io.decode_image(GIF, expand_animations=False)], modes=EAGER, grad=False)

# --- summaries: how many events a file holds


def _events(tf, x):
    folder = tempfile.mkdtemp()
    writer = tf.summary.create_file_writer(folder)
    with writer.as_default(step=3):
        tf.summary.write("mean", tf.reduce_mean(x))
        tf.summary.experimental.write_raw_pb(tf.constant(b""))
        tf.summary.graph(tf.function(lambda y: y + 1.0).get_concrete_function(x).graph.as_graph_def())
    writer.flush()
    before = len(list(tf.data.TFRecordDataset(tf.io.matching_files(folder + "/*"))))
    writer.close()
    return tf.constant(before)


case("WriteSummary", _events, normal(3), modes=EAGER, grad=False, covers=("WriteRawProtoSummary", "WriteGraphSummary", "FlushSummaryWriter", "CloseSummaryWriter"))
case("DecodeWav", lambda tf, x: (lambda w: [w.audio, w.sample_rate])(tf.audio.decode_wav(tf.audio.encode_wav(x, 8000))), unit(5, 2), modes=EAGER, grad=False, covers=("EncodeWav",))

# --- strings that hold data


def _sparse(tf, values):
    return tf.sparse.SparseTensor([[0, 1], [1, 0]], values, [2, 3])


def _sequence(tf):
    """Two serialized sequence examples."""
    def feature(*values):
        return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

    return [tf.train.SequenceExample(
        context=tf.train.Features(feature={"n": feature(i), "few": feature(*range(i))}),
        feature_lists=tf.train.FeatureLists(feature_list={
            "one": tf.train.FeatureList(feature=[feature(t) for t in range(i)]),
            "any": tf.train.FeatureList(feature=[feature(*range(t)) for t in range(i + 1)])})).SerializeToString() for i in (1, 3)]


def _single_sequence(tf):
    keys = {"context_sparse_keys": ["few"], "context_dense_keys": ["n"], "feature_list_sparse_keys": ["any"], "feature_list_dense_keys": ["one"]}
    types = {"context_sparse_types": [tf.int64], "context_dense_shapes": [[]], "feature_list_sparse_types": [tf.int64], "feature_list_dense_types": [tf.int64], "feature_list_dense_shapes": [[]]}
    return list(raw(tf, "ParseSingleSequenceExample", serialized=_sequence(tf)[1], feature_list_dense_missing_assumed_empty=tf.constant([], tf.string),
                    context_dense_defaults=[tf.constant([], tf.int64)], debug_name="", **keys, **types))


def _many_sequences(tf):
    parsed = tf.io.parse_sequence_example(
        _sequence(tf), {"n": tf.io.FixedLenFeature([], tf.int64), "few": tf.io.VarLenFeature(tf.int64)},
        {"one": tf.io.FixedLenSequenceFeature([], tf.int64), "any": tf.io.RaggedFeature(tf.int64)})
    return [parsed[0]["n"], parsed[0]["few"].indices, parsed[1]["one"], parsed[1]["any"].to_tensor(), parsed[2]["one"]]


def _older_sequences(tf):
    return list(raw(tf, "ParseSequenceExample", serialized=_sequence(tf), debug_name=["a", "b"], context_dense_defaults=[tf.constant([], tf.int64)], feature_list_dense_missing_assumed_empty=[],
                    context_sparse_keys=["few"], context_dense_keys=["n"], feature_list_sparse_keys=["any"], feature_list_dense_keys=["one"], Ncontext_sparse=1, Ncontext_dense=1, Nfeature_list_sparse=1, Nfeature_list_dense=1,
                    context_sparse_types=[tf.int64], context_dense_shapes=[[]], feature_list_sparse_types=[tf.int64], feature_list_dense_types=[tf.int64], feature_list_dense_shapes=[[]]))


def _example(tf):
    return tf.train.Example(features=tf.train.Features(feature={k: tf.train.Feature(int64_list=tf.train.Int64List(value=[3, 4])) for k in "ab"})).SerializeToString()


def _older_example(tf):
    return list(raw(tf, "ParseExample", serialized=[_example(tf)], names=tf.constant([], tf.string), sparse_keys=["a"], dense_keys=["b"], dense_defaults=[tf.constant([], tf.int64)],
                    sparse_types=[tf.int64], dense_shapes=[[2]]))


def _single_example(tf):
    return list(raw(tf, "ParseSingleExample", serialized=_example(tf), dense_defaults=[tf.constant([], tf.int64)], num_sparse=1, sparse_keys=["a"], dense_keys=["b"],
                    sparse_types=[tf.int64], dense_shapes=[[2]]))


case("SerializeTensor", lambda tf, x: tf.io.serialize_tensor(x), normal(2, 3), dtypes=("float32", "int32", "bool"), grad=False)
case("ParseTensor", lambda tf, x: tf.io.parse_tensor(tf.io.serialize_tensor(x), x.dtype), normal(2, 3), dtypes=("float32", "complex64"), grad=False)
case("ParseTensor strings", lambda tf, x: tf.io.parse_tensor(tf.io.serialize_tensor(x), tf.string), const(["a", "bc"], "string"), grad=False)
case("SerializeSparse", lambda tf, v: tf.io.serialize_sparse(_sparse(tf, v)), normal(2), grad=False)
case("SerializeManySparse", lambda tf, v: tf.io.serialize_many_sparse(_sparse(tf, v)), normal(2), grad=False)
case("DeserializeManySparse", lambda tf, v: (lambda s: [s.indices, s.values, s.dense_shape])(tf.io.deserialize_many_sparse(tf.io.serialize_many_sparse(_sparse(tf, v)), tf.float32)), normal(2), grad=False)
case("DeserializeSparse", lambda tf, v: list(raw(tf, "DeserializeSparse", serialized_sparse=tf.stack([tf.io.serialize_sparse(_sparse(tf, v))] * 2), dtype=tf.float32)), normal(2), grad=False)
case("DeserializeSparse variant", lambda tf, v: list(raw(tf, "DeserializeSparse", serialized_sparse=tf.io.serialize_sparse(_sparse(tf, v), tf.variant), dtype=tf.float32)), normal(2), grad=False)
case("DecodeCSV", lambda tf, x: tf.io.decode_csv(x, [[0], [2.5], ["none"]]), const(["1,2,a", '3,,"b,""c"""', " 4 ,1e3,"], "string"), grad=False)
case("DecodeCSV columns", lambda tf, x: tf.io.decode_csv(x, [0.0, tf.constant([], tf.string)], field_delim=";", na_value="?", select_cols=[1, 3]), const([["1;?;a;b", "3;4;5;6;7"]], "string"), grad=False)
case("DecodeCompressed", lambda tf, x: tf.io.decode_compressed(x, "ZLIB"), const([bytes.fromhex("789c4b4c4a0600024d0127")], "string"), grad=False)
case("DecodeJSONExample", lambda tf, x: tf.io.decode_json_example(x), const(['{"features": {"feature": {"a": {"bytesList": {"value": ["aGk="]}}}}}'], "string"), grad=False)
case("DecodePaddedRaw", lambda tf, x: [tf.io.decode_raw(x, tf.uint8, fixed_length=4), tf.io.decode_raw(x, tf.int16, little_endian=False, fixed_length=2)], const(["abc", "d"], "string"), grad=False)
case("ParseSequenceExampleV2", _many_sequences, modes=EAGER, grad=False)
case("ParseSequenceExample", _older_sequences, modes=EAGER, grad=False)
case("ParseSingleSequenceExample", _single_sequence, modes=EAGER, grad=False)
case("ParseExample", _older_example, modes=EAGER, grad=False)
case("ParseSingleExample", _single_example, modes=EAGER, grad=False)
