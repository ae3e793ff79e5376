"""TFRecords, Examples, event files and pictures, against files that TensorFlow 2.21 wrote (tools/golden/files.py)."""

from pathlib import Path

import numpy as np
import pytest

import reflow as tf

GOLDEN = Path(__file__).parents[1] / "golden" / "files"
FEATURES = {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.int64),
            "numbers": tf.io.VarLenFeature(tf.float32)}

# --- records


def path(kind=""):
    return str(GOLDEN / f"two{kind}.tfrecords")


def records(file, kind=""):
    return [r.numpy() for r in tf.data.TFRecordDataset(str(file), compression_type=kind)]


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records_both_ways(tmp_path, kind):
    found = records(path(kind), kind)
    assert len(found) == 2 and found == records(path())
    with tf.io.TFRecordWriter(str(tmp_path / "own"), options=kind) as writer:
        for record in found:
            writer.write(record)
    assert records(tmp_path / "own", kind) == found
    if not kind:
        assert (tmp_path / "own").read_bytes() == Path(path()).read_bytes()


@pytest.mark.parametrize(("place", "message"), [(3, "corrupted record at 0"), (20, "corrupted record at 0"),
                                                (None, "truncated record")])
def test_damaged_records(tmp_path, place, message):
    data = bytearray(Path(path()).read_bytes())
    if place is None:
        data = data[:-5]
    else:
        data[place] ^= 1
    (tmp_path / "bad").write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match=message):
        records(tmp_path / "bad")


def test_missing_file():
    with pytest.raises(tf.errors.NotFoundError, match="nowhere; No such file or directory"):
        records("nowhere")
    with pytest.raises(tf.errors.NotFoundError, match="nowhere; No such file or directory"):
        tf.io.read_file("nowhere")


def test_parallel_reads_and_datasets_of_names():
    names = tf.data.Dataset.from_tensor_slices([path(), path()])
    assert len(list(tf.data.TFRecordDataset(names))) == 4
    assert len(list(tf.data.TFRecordDataset([path(), path()], num_parallel_reads=2))) == 4


def test_text_lines(tmp_path):
    tf.io.write_file(str(tmp_path / "folder" / "a.txt"), "one\ntwo\r\n\nfour")
    dataset = tf.data.TextLineDataset(str(tmp_path / "folder" / "a.txt"))
    assert list(dataset.as_numpy_iterator()) == [b"one", b"two", b"", b"four"]
    assert tf.io.matching_files(str(tmp_path / "fol*" / "*.txt")).numpy().tolist() == [bytes(tmp_path / "folder" / "a.txt")]
    assert tf.io.read_file(str(tmp_path / "folder" / "a.txt")).numpy() == b"one\ntwo\r\n\nfour"


def test_batches_of_mapped_strings():
    (batch,) = tf.data.Dataset.from_tensor_slices(["a", "b"]).map(lambda s: s).batch(2)
    assert batch.numpy().tolist() == [b"a", b"b"]


def test_decode_raw():
    assert tf.io.decode_raw(["\x01\x00", "\x02\x01"], tf.int16).numpy().tolist() == [[1], [258]]
    assert tf.io.decode_raw("\x01\x00", tf.int16, little_endian=False).numpy().tolist() == [256]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a multiple of 4"):
        tf.io.decode_raw("abc", tf.float32)


# --- Examples


def test_parse_in_a_map():
    parsed = list(tf.data.TFRecordDataset(path()).map(lambda s: tf.io.parse_single_example(s, FEATURES)))
    assert [int(p["label"]) for p in parsed] == [1, 2] and parsed[1]["image"].numpy() == b"picture 2"
    assert tf.sparse.to_dense(parsed[1]["numbers"]).numpy().tolist() == [0.5, 0.5]


def test_parse_a_batch():
    (batch,) = tf.data.TFRecordDataset(path()).batch(2)
    features = FEATURES | {"ragged": tf.io.RaggedFeature(tf.float32, value_key="numbers")}
    parsed = tf.io.parse_example(batch, features)
    assert parsed["label"].numpy().tolist() == [1, 2] and parsed["numbers"].dense_shape.numpy().tolist() == [2, 2]
    assert parsed["ragged"].to_list() == [[0.5], [0.5, 0.5]]
    padded = {"numbers": tf.io.FixedLenSequenceFeature([], tf.float32, allow_missing=True, default_value=-1.0)}
    assert tf.io.parse_example(batch, padded)["numbers"].numpy().tolist() == [[0.5, -1.0], [0.5, 0.5]]


@pytest.mark.parametrize(("features", "message"), [
    ({"label": tf.io.FixedLenFeature([], tf.float32)}, "Data types don't match"),
    ({"nothing": tf.io.FixedLenFeature([], tf.float32)}, "is required but could not be found"),
    ({"label": tf.io.FixedLenFeature([2], tf.int64)}, "values != expected"),
])
def test_examples_that_do_not_fit(features, message):
    (record, _) = records(path())
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        tf.io.parse_single_example(record, features)


def test_bytes_that_are_no_example():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse example input"):
        tf.io.parse_single_example(b"\xff\xff\xff", FEATURES)


# --- events


def write_events(folder):
    with tf.summary.create_file_writer(str(folder)).as_default():
        for step in range(2):
            tf.summary.scalar("loss", 0.5 * step, step=step)
            tf.summary.histogram("h", np.arange(7.0), step=step, buckets=3)
            tf.summary.histogram("same", [2.0, 2.0], step=step, buckets=3)
            tf.summary.text("t", "hello", step=step)
            with tf.name_scope("outer"):
                tf.summary.image("im", np.zeros([1, 2, 3, 1], np.uint8), step=step)


def values(folder):
    """(step, tag, plugin, dtype, value) of every summary, and the format's version."""
    from tensorboard.compat.proto.event_pb2 import Event

    (file,) = Path(folder).iterdir()
    first, *events = [Event.FromString(r) for r in records(file)]
    out = []
    for event in events:
        for v in event.summary.value:
            array = tf.make_ndarray(v.tensor)
            shown = array[:2].tolist() if v.tag == "outer/im" else array.tolist()  # the PNG's bytes are the encoder's affair
            out.append((event.step, v.tag, v.metadata.plugin_data.plugin_name, v.metadata.data_class, v.tensor.dtype, shown))
    return first.file_version, out


def test_events_are_tensorflows(tmp_path):
    write_events(tmp_path / "logs")
    assert values(tmp_path / "logs") == values(GOLDEN / "events")


def test_summaries_in_a_function(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def step(i):
        with writer.as_default(), tf.summary.record_if(i > 0):
            tf.summary.scalar("i", i, step=i)

    for i in range(3):
        step(tf.constant(i, tf.int64))
    writer.close()
    assert [(s, tag, v) for s, tag, _, _, _, v in values(tmp_path)[1]] == [(1, "i", 1.0), (2, "i", 2.0)]
    with pytest.raises(RuntimeError, match="already closed"), writer.as_default():
        pass


def test_no_writer_no_step(tmp_path):
    assert not tf.summary.scalar("a", 1.0, step=0) and not tf.summary.should_record_summaries()
    with tf.summary.create_file_writer(str(tmp_path)).as_default(), pytest.raises(ValueError, match="No step set"):
        tf.summary.scalar("a", 1.0)
    with tf.summary.create_file_writer(str(tmp_path)).as_default(step=3):
        assert tf.summary.experimental.get_step() == 3 and tf.summary.scalar("a", 1.0)


# --- pictures

IMAGE = dict(np.load(GOLDEN / "image.npz"))
CHANGES = {
    "rot90": lambda t: tf.image.rot90(t), "rot90_3": lambda t: tf.image.rot90(t, 3),
    "flip_left_right": tf.image.flip_left_right, "flip_up_down": tf.image.flip_up_down, "transpose": tf.image.transpose,
    "central_crop": lambda t: tf.image.central_crop(t, 0.5),
    "crop_or_pad": lambda t: tf.image.resize_with_crop_or_pad(t, 7, 3),
    "brightness": lambda t: tf.image.adjust_brightness(t, 0.2), "contrast": lambda t: tf.image.adjust_contrast(t, 0.5),
    "gamma": lambda t: tf.image.adjust_gamma(t, 2.0, 0.5), "saturation": lambda t: tf.image.adjust_saturation(t, 1.5),
    "hue": lambda t: tf.image.adjust_hue(t, 0.3), "standard": tf.image.per_image_standardization,
}


@pytest.mark.parametrize("kind", ["float", "eight"])
@pytest.mark.parametrize("name", CHANGES)
def test_changes_of_pictures(name, kind):
    got, expected = CHANGES[name](IMAGE["x" if kind == "float" else kind]).numpy(), IMAGE[f"{kind}/{name}"]
    assert got.dtype == expected.dtype and got.shape == expected.shape
    tolerance = 1 if got.dtype == np.uint8 and name in ("saturation", "hue", "contrast", "gamma") else 1e-5
    np.testing.assert_allclose(got.astype(float), expected.astype(float), atol=tolerance)


def test_random_changes_draw_tensorflows_numbers():
    tf.random.set_seed(3)
    x = IMAGE["x"][0]
    np.testing.assert_array_equal(tf.image.random_crop(x, [2, 3, 3], seed=5), IMAGE["random_crop"])
    np.testing.assert_array_equal(tf.image.random_flip_left_right(x, seed=5), IMAGE["random_flip"])
    np.testing.assert_allclose(tf.image.random_brightness(x, 0.3, seed=5), IMAGE["random_brightness"], atol=1e-6)


def test_picture_files():
    png = (GOLDEN / "picture.png").read_bytes()
    np.testing.assert_array_equal(tf.io.decode_png(png), IMAGE["eight"][0])
    np.testing.assert_array_equal(tf.image.decode_image(png), IMAGE["eight"][0])
    jpeg = tf.io.decode_jpeg((GOLDEN / "picture.jpg").read_bytes()).numpy().astype(int)
    # Pillow decodes by the slow, exact DCT, TensorFlow by the fast one
    np.testing.assert_allclose(jpeg, IMAGE["jpeg_pixels"], atol=8)
    assert tf.io.extract_jpeg_shape((GOLDEN / "picture.jpg").read_bytes()).numpy().tolist() == [5, 6, 3]
    np.testing.assert_array_equal(tf.io.decode_png(tf.io.encode_png(IMAGE["eight"][0])), IMAGE["eight"][0])
    assert tf.io.decode_jpeg((GOLDEN / "picture.jpg").read_bytes(), channels=1).shape == (5, 6, 1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unknown image file format"):
        tf.io.decode_jpeg(b"no picture")
