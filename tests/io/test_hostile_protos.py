"""Serialized protos that are none (row 12 of the bad inputs): numbers without end, messages nested 10,000 deep, lengths
past the end.

Every way into the system that takes the bytes of a proto gets each of them, files with right checksums around them.
"""

import numpy as np
import pytest

import reflow as tf
from reflow.io import varint
from tests.io.test_records import written

FEATURES = {"a": tf.io.FixedLenFeature([2], tf.float32)}


BYTES = {
    "a number of eleven bytes": b"\x08" + b"\xff" * 10 + b"\x01",
    "a megabyte of a number": b"\xff" * 2**20,
    "groups within groups": varint.encode(1000 << 3 | 3) * 10_000,
    "a list that ends behind the data": varint.encode(1 << 3 | 2) + varint.encode(2**31) + b"abc",
    "a text of all memory": varint.encode(2 << 3 | 2) + varint.encode(2**64 - 1) + b"abc",
    "a kind that does not exist": b"\x0f",
}


def summary_op(name: str, **more):
    def run(data, folder):
        writer = tf.summary.create_file_writer(str(folder / "log"))
        getattr(tf.raw_ops, name)(writer=writer._resource, **{k: data if v is None else v for k, v in more.items()})

    return run


def model(data, folder):
    (folder / "saved_model.pb").write_bytes(data)
    tf.saved_model.load(str(folder))


def spec_of_a_dataset(data, folder):
    tf.data.Dataset.range(3).save(str(folder / "data"))
    (folder / "data" / "dataset_spec.pb").write_bytes(data)
    tf.data.Dataset.load(str(folder / "data"))


def metadata_of_a_dataset(data, folder):
    tf.data.Dataset.range(3).save(str(folder / "data"))
    (folder / "data" / "snapshot.metadata").write_bytes(data)
    list(tf.data.Dataset.load(str(folder / "data")))


def element_of_a_dataset(data, folder):
    tf.data.Dataset.from_tensors(["a", "b"]).save(str(folder / "data"), compression="NONE")
    for path in (folder / "data").rglob("*.snapshot"):
        written(path, data)
    list(tf.data.Dataset.load(str(folder / "data"), compression="NONE"))


def options_of_a_dataset(data, folder):
    dataset = tf.data.Dataset.range(3)._variant_tensor
    tf.raw_ops.OptionsDataset(
        input_dataset=dataset, serialized_options=data, output_types=[tf.int64], output_shapes=[[]]
    )


def objects_of_a_checkpoint(data, folder):
    path = str(folder / "ckpt")
    names = ["_CHECKPOINTABLE_OBJECT_GRAPH", "v/.ATTRIBUTES/VARIABLE_VALUE"]
    tensors = [tf.constant(np.array(data, object), tf.string), tf.constant(1.0)]
    tf.raw_ops.SaveV2(prefix=path, tensor_names=names, shape_and_slices=["", ""], tensors=tensors)
    tf.train.Checkpoint(v=tf.Variable(1.0)).restore(path)


READERS = {
    "example": (
        lambda data, _: tf.io.parse_example([data], FEATURES), tf.errors.InvalidArgumentError,
        "Could not parse example input",
    ),
    "sequence": (
        lambda data, _: tf.io.parse_single_sequence_example(data, FEATURES), tf.errors.InvalidArgumentError,
        "Could not parse",
    ),
    "tensor": (lambda data, _: tf.io.parse_tensor(data, tf.float32), tf.errors.InvalidArgumentError, "as TensorProto"),
    "graph": (
        lambda data, _: tf.raw_ops.DatasetFromGraph(graph_def=data), tf.errors.InvalidArgumentError,
        "Could not parse GraphDef",
    ),
    "model": (model, OSError, "saved_model.pb"),
    "event": (summary_op("ImportEvent", event=None), tf.errors.DataLossError, "Bad tf.Event binary proto"),
    "summary": (
        summary_op("WriteRawProtoSummary", step=tf.constant(1, tf.int64), tensor=None), tf.errors.DataLossError,
        "Bad .*Summary binary proto"
    ),
    "metadata": (
        summary_op("WriteSummary", step=tf.constant(1, tf.int64), tensor=tf.ones([]), tag="x", summary_metadata=None),
        tf.errors.InvalidArgumentError, "Could not parse the summary metadata",
    ),
    "merged": (
        lambda data, _: tf.raw_ops.MergeSummary(inputs=[data, data]), tf.errors.InvalidArgumentError,
        "Could not parse one of",
    ),
    "spec": (spec_of_a_dataset, tf.errors.DataLossError, "dataset_spec.pb holds no element spec"),
    "snapshot": (metadata_of_a_dataset, tf.errors.DataLossError, "Can't parse .*snapshot.metadata"),
    "element": (element_of_a_dataset, tf.errors.DataLossError, "Unable to parse tensor from .*snapshot"),
    "options": (
        options_of_a_dataset, tf.errors.InvalidArgumentError, "Could not parse serialized_options as valid Options"
    ),
    "objects": (objects_of_a_checkpoint, tf.errors.DataLossError, "corrupt object graph in checkpoint"),
}  # fmt: skip


@pytest.mark.parametrize("reader", READERS)
def test_bytes_that_are_no_proto(reader, tmp_path):
    read, error, words = READERS[reader]
    for data in BYTES.values():
        with pytest.raises(error, match=words):
            read(data, tmp_path)


def nested(first: list[int], then: list[int]) -> bytes:
    """Messages within messages, 10,000 deep: the numbers of the fields that hold them, from the outside.

    The latter again and again.
    """
    numbers, heads, length = [*first, *then * 5_000], [], 0
    for number in reversed(numbers):
        heads.append(varint.encode(number << 3 | 2) + varint.encode(length))
        length += len(heads[-1])
    return b"".join(reversed(heads))


TENSORS = nested([], [15, 3])  # TensorProto.variant_val, VariantTensorDataProto.tensors


@pytest.mark.parametrize("reader", ["tensor", "element"])
def test_a_tensor_of_tensors_of_tensors(reader, tmp_path):
    read, error, words = READERS[reader]
    with pytest.raises(error, match=words):
        read(TENSORS, tmp_path)


@pytest.mark.parametrize("data", [*BYTES.values(), nested([5, 1, 8], [15, 3])], ids=[*BYTES, "a tensor of tensors"])
def test_events_that_are_none_are_named_by_file_and_place(data, tmp_path):
    good = next(tf.compat.v1.train.summary_iterator(event_file(tmp_path))).SerializeToString()
    path = written(tmp_path / "events.out.tfevents.2", good, data)
    events = tf.compat.v1.train.summary_iterator(path)
    assert next(events).file_version == "brain.Event:2"
    with pytest.raises(tf.errors.DataLossError, match=f"the record at {len(good) + 16} is no event: {path}"):
        next(events)


def event_file(folder) -> str:
    with tf.summary.create_file_writer(str(folder)).as_default():
        tf.summary.scalar("loss", 1.0, step=1)
    (path,) = folder.glob("events*")
    return str(path)
