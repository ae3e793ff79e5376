"""Ops of older graphs that keep something between steps or write files, against what TensorFlow 2.21 gives for the same
calls."""

import os

import numpy as np
import pytest

import reflow as tf

raw = tf.raw_ops


def int64(values):
    return tf.constant(values, tf.int64)


def test_a_mutex_is_free_when_its_lock_is_consumed_or_gone():
    mutex = raw.MutexV2(shared_name="mutex of a test")
    raw.ConsumeMutexLock(mutex_lock=raw.MutexLock(mutex=mutex))
    lock = raw.MutexLock(mutex=raw.MutexV2(shared_name="mutex of a test"))
    assert mutex._value.lock.locked()
    del lock
    assert not mutex._value.lock.locked()


def test_sparse_tensors_under_numbers():
    facts = {"container": "", "shared_name": "sparse tensors of a test"}
    one = raw.AddSparseToTensorsMap(
        sparse_indices=int64([[0], [2]]), sparse_values=[1.0, 2.0], sparse_shape=int64([4]), **facts
    )
    many = raw.AddManySparseToTensorsMap(
        sparse_indices=int64([[0, 1], [2, 0]]), sparse_values=[3.0, 4.0], sparse_shape=int64([3, 5]), **facts
    )
    handles = tf.concat([many, [one]], 0)
    taken = raw.TakeManySparseFromTensorsMap(sparse_handles=handles, dtype=tf.float32, **facts)
    assert [t.numpy().tolist() for t in taken] == [[[0, 1], [2, 0], [3, 0], [3, 2]], [3.0, 4.0, 1.0, 2.0], [4, 5]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to find SparseTensor"):
        raw.TakeManySparseFromTensorsMap(sparse_handles=handles, dtype=tf.float32, **facts)


def test_composite_tensors_as_variants():
    encoded = raw.CompositeTensorVariantFromComponents(components=[tf.constant([1.0]), tf.constant(2)], metadata="")
    first, second = raw.CompositeTensorVariantToComponents(
        encoded=encoded, metadata="", Tcomponents=[tf.float32, tf.int32]
    )
    assert (first.numpy().tolist(), second.numpy().tolist()) == ([1.0], 2)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="Encoded value has 2 tensor components; expected 1 components"
    ):
        raw.CompositeTensorVariantToComponents(encoded=encoded, metadata="", Tcomponents=[tf.float32])


def test_iterators_go_back():
    types = {"output_types": [tf.int64], "output_shapes": [tf.TensorShape([])]}
    iterator = raw.AnonymousIterator(**types)
    raw.MakeIterator(dataset=tf.data.Dataset.range(9)._variant_tensor, iterator=iterator)
    read = lambda: int(raw.IteratorGetNext(iterator=iterator, **types)[0])
    first, saved = read(), raw.SerializeIterator(resource_handle=iterator)
    assert [first, read(), read()] == [0, 1, 2]
    raw.DeserializeIterator(resource_handle=iterator, serialized=saved)
    assert read() == 1
    device = b"/job:localhost/replica:0/task:0/device:CPU:0"
    assert (
        raw.IteratorGetDevice(resource=iterator).numpy() == raw.ExperimentalIteratorGetDevice(resource=iterator).numpy()
        == device
    )


def test_vocabularies_of_checkpoints(tmp_path):
    new, old, prefix = (str(tmp_path / name) for name in ("new", "old", "model"))
    tf.io.write_file(new, "a\nb\nc\nd\n")
    tf.io.write_file(old, "d\nb\nz\n")
    facts = {"new_vocab_file": new, "old_vocab_file": old, "new_vocab_offset": 1}
    places, count = raw.GenerateVocabRemapping(num_new_vocab=3, **facts)
    assert (places.numpy().tolist(), int(count)) == ([1, -1, 0], 2)
    assert raw.GenerateVocabRemapping(num_new_vocab=3, old_vocab_size=1, **facts)[0].numpy().tolist() == [-1, -1, 0]
    with pytest.raises(tf.errors.InvalidArgumentError):
        raw.GenerateVocabRemapping(num_new_vocab=9, **facts)

    matrix = np.arange(1.0, 13.0, dtype=np.float32).reshape(3, 4)
    raw.SaveV2(prefix=prefix, tensor_names=["w"], shape_and_slices=[""], tensors=[tf.constant(matrix)])
    remap = lambda rows, columns, initial, **more: raw.LoadAndRemapMatrix(
        ckpt_path=prefix, old_tensor_name="w", row_remapping=int64(rows), col_remapping=int64(columns),
        initializing_values=tf.constant(initial, tf.float32), num_rows=3, num_cols=2, **more,
    )
    assert remap([2, -1, 0], [1, -1], [10.0, 20.0, 30.0, 40.0]).numpy().tolist() == [
        [10.0, 10.0], [20.0, 30.0], [2.0, 40.0]
    ]
    with pytest.raises(tf.errors.InvalidArgumentError, match="initializing_values contains 1 elements"):
        remap([2, -1, 0], [1, -1], [10.0])


def events(folder, write):
    """What a writer of one file wrote, without the time and the first event."""
    writer = raw.SummaryWriter(shared_name=folder)
    raw.CreateSummaryFileWriter(writer=writer, logdir=folder, max_queue=10, flush_millis=1000, filename_suffix=".x")
    write(writer)
    raw.FlushSummaryWriter(writer=writer)
    (path,) = [os.path.join(folder, name) for name in os.listdir(folder)]
    found = [record.numpy()[9:] for record in tf.data.TFRecordDataset(path)][1:]
    raw.CloseSummaryWriter(writer=writer)
    return found


def test_summaries_of_one_kind(tmp_path):
    step = {"step": 3, "tag": "label"}
    scalar = events(str(tmp_path / "a"), lambda w: raw.WriteScalarSummary(writer=w, value=0.5, **step))
    assert scalar == [b"\x10\x03*\x0e\n\x0c\n\x05label\x15\x00\x00\x00?"]
    audio = events(
        str(tmp_path / "b"), lambda w: raw.WriteAudioSummary(writer=w, tensor=[[0.5, -1.0]], sample_rate=8000.0, **step)
    )
    assert b"label/audio/0" in audio[0] and b"RIFF" in audio[0] and b"audio/wav" in audio[0]
    histogram = events(str(tmp_path / "c"), lambda w: raw.WriteHistogramSummary(writer=w, values=[0.5, 3.0], **step))
    assert (
        histogram[0].startswith(b"\x10\x03*")
        and raw.HistogramSummary(tag="label", values=[0.5, 3.0]).numpy() in histogram[0]
    )
    color = tf.constant([255, 0, 0, 255], tf.uint8)
    image = events(
        str(tmp_path / "d"),
        lambda w: raw.WriteImageSummary(writer=w, tensor=[[[[0.5], [1.0]]]], bad_color=color, **step),
    )
    assert b"PNG" in image[0]
    again = events(str(tmp_path / "e"), lambda w: raw.ImportEvent(writer=w, event=b"\x09" + b"\x00" * 8 + scalar[0]))
    assert again == scalar
    with pytest.raises(tf.errors.FailedPreconditionError):
        raw.FlushSummaryWriter(writer=raw.SummaryWriter(shared_name="one without a file"))


def test_serialized_summaries():
    tensor = raw.TensorSummaryV2(tag="t", tensor=[1.0, 2.0], serialized_summary_metadata="").numpy()
    assert tensor.startswith(b"\n") and b'"\x08\x00\x00\x80?\x00\x00\x00@' in tensor
    sounds = raw.AudioSummaryV2(tag="t", tensor=[[0.5], [0.1]], sample_rate=8000.0, max_outputs=1).numpy()
    assert b"t/audio" in sounds and b"t/audio/0" not in sounds
    with pytest.raises(tf.errors.InvalidArgumentError, match="Tensor must be 3-D or 2-D"):
        raw.AudioSummaryV2(tag="t", tensor=[0.5], sample_rate=8000.0)
