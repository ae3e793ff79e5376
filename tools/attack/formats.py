"""The formats of the attack on files: how a small good file is made, and how a program reads it.

`make(folder)` writes one, and perhaps others beside it, and returns those to damage; `read(folder)` reads it as a
program would, and computes with it.
"""

from __future__ import annotations

import dataclasses
import functools
import io
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

import reflow as tf


@dataclasses.dataclass(frozen=True)
class Format:
    """How files of one format are made and read."""

    make: Callable[[Path], list[Path]]
    read: Callable[[Path], object]
    named: bool = True  # whether the reader was given a path, which its errors must then name
    classes: tuple[str, ...] = ()  # classes that Keras and h5py raise under TensorFlow too


# --- records and protos -----------------------------------------------------------------------------------------------

EXAMPLE = {
    "a": tf.io.FixedLenFeature([2], tf.float32),
    "b": tf.io.VarLenFeature(tf.int64),
    "c": tf.io.FixedLenFeature([], tf.string, ""),
    "d": tf.io.RaggedFeature(tf.int64),
}


def _example(number: int) -> bytes:
    feature = {
        "a": tf.train.Feature(float_list=tf.train.FloatList(value=[number, 2.0])),
        "b": tf.train.Feature(int64_list=tf.train.Int64List(value=range(number))),
        "c": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"word"])),
        "d": tf.train.Feature(int64_list=tf.train.Int64List(value=[7, -7])),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def _make_records(kind: str, folder: Path) -> list[Path]:
    path = folder / "x.tfrecord"
    with tf.io.TFRecordWriter(str(path), kind) as writer:
        for number in range(6):
            writer.write(_example(number))
    return [path]


def _read_records(kind: str, folder: Path) -> None:
    dataset = tf.data.TFRecordDataset(str(folder / "x.tfrecord"), kind)
    for batch in dataset.batch(2):
        tf.io.parse_example(batch, EXAMPLE)


def _make_example(folder: Path) -> list[Path]:
    (folder / "x.bin").write_bytes(_example(3))
    return [folder / "x.bin"]


def _read_example(folder: Path) -> None:
    data = (folder / "x.bin").read_bytes()
    tf.io.parse_example([data, data], EXAMPLE)
    tf.io.parse_single_sequence_example(data, EXAMPLE)


def _make_tensor(folder: Path) -> list[Path]:
    (folder / "x.bin").write_bytes(tf.io.serialize_tensor(tf.ones([3, 4])).numpy())
    return [folder / "x.bin"]


def _read_tensor(folder: Path) -> None:
    tf.io.parse_tensor((folder / "x.bin").read_bytes(), tf.float32)


def _make_events(folder: Path) -> list[Path]:
    with tf.summary.create_file_writer(str(folder)).as_default():
        for step in range(4):
            tf.summary.scalar("loss", 1.0 / (step + 1), step=step)
        tf.summary.flush()
    return sorted(folder.glob("events*"))


def _read_events(folder: Path) -> None:
    for path in folder.glob("events*"):
        for event in tf.compat.v1.train.summary_iterator(str(path)):
            str(event)


# --- models -----------------------------------------------------------------------------------------------------------


def _state() -> tf.train.Checkpoint:
    return tf.train.Checkpoint(a=tf.Variable(tf.range(6.0)), b=tf.Variable(["x", "yz"]), c=tf.Variable(7))


def _make_checkpoint(folder: Path) -> list[Path]:
    _state().write(str(folder / "ckpt"))
    return [folder / "ckpt.index", folder / "ckpt.data-00000-of-00001"]


def _read_checkpoint(folder: Path) -> None:
    reader = tf.train.load_checkpoint(str(folder / "ckpt"))
    for name in reader.get_variable_to_shape_map():
        reader.get_tensor(name)
    _state().read(str(folder / "ckpt"))


class Model(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weights = tf.Variable(tf.ones([3, 2]))
        self.parts = [tf.Variable(1.0), {"deep": tf.Variable(2.0)}]

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return tf.nn.relu(x @ self.weights) if tf.reduce_sum(x) > 0 else x @ self.weights


def _make_saved_model(folder: Path) -> list[Path]:
    tf.saved_model.save(Model(), str(folder))
    return [folder / "saved_model.pb", folder / "saved_model.pb", folder / "variables" / "variables.index"]


def _read_saved_model(folder: Path) -> None:
    loaded = tf.saved_model.load(str(folder))
    loaded(tf.ones([2, 3]))


def _make_graph(folder: Path) -> list[Path]:
    model = Model()
    graph = model.__call__.get_concrete_function().graph.as_graph_def()
    (folder / "x.pb").write_bytes(graph.SerializeToString())
    return [folder / "x.pb"]


def _read_graph(folder: Path) -> None:
    proto = tf.compat.v1.GraphDef()
    proto.ParseFromString((folder / "x.pb").read_bytes())
    with tf.Graph().as_default():
        tf.import_graph_def(proto)


def _make_keras(name: str, folder: Path) -> list[Path]:
    layers = [tf.keras.Input([3]), tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    model.save_weights(folder / name) if "weights" in name else model.save(folder / name)
    return [folder / name]


def _read_keras(name: str, folder: Path) -> None:
    if "weights" not in name:
        tf.keras.models.load_model(folder / name)
        return
    layers = [tf.keras.Input([3]), tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)]
    tf.keras.Sequential(layers).load_weights(folder / name)


# --- pictures and sound -----------------------------------------------------------------------------------------------


def _make_picture(name: str, folder: Path) -> list[Path]:
    from PIL import Image

    pixels = np.random.default_rng(0).integers(0, 255, (9, 7, 3), np.uint8)
    data = io.BytesIO()
    Image.fromarray(pixels).save(data, name)
    (folder / "x").write_bytes(data.getvalue())
    return [folder / "x"]


def _read_picture(name: str, folder: Path) -> None:
    data = tf.io.read_file(str(folder / "x"))
    tf.io.decode_image(data)
    getattr(tf.io, f"decode_{name.lower()}")(data)


def _make_sound(folder: Path) -> list[Path]:
    wave = tf.audio.encode_wav(tf.reshape(tf.sin(tf.range(40.0)), [20, 2]), 8000)
    (folder / "x.wav").write_bytes(wave.numpy())
    return [folder / "x.wav"]


def _read_sound(folder: Path) -> None:
    tf.audio.decode_wav((folder / "x.wav").read_bytes())


def _make_packed(folder: Path) -> list[Path]:
    (folder / "x").write_bytes(zlib.compress(b"twelve bytes" * 50))
    return [folder / "x"]


def _read_packed(folder: Path) -> None:
    tf.io.decode_compressed((folder / "x").read_bytes(), "ZLIB")


def _records(kind: str) -> Format:
    return Format(functools.partial(_make_records, kind), functools.partial(_read_records, kind))


def _keras(name: str) -> Format:
    classes = (
        "OSError", "KeyError", "BadZipFile", "FileNotFoundError", "RuntimeError", "JSONDecodeError",
        "UnicodeEncodeError",
    )
    return Format(
        functools.partial(_make_keras, name), functools.partial(_read_keras, name), classes=classes, named=False
    )


def _picture(name: str) -> Format:
    return Format(functools.partial(_make_picture, name), functools.partial(_read_picture, name), named=False)


FORMATS = {
    "tfrecord": _records(""),
    "tfrecord-gzip": _records("GZIP"),
    "tfrecord-zlib": _records("ZLIB"),
    "example": Format(_make_example, _read_example, named=False),
    "tensor": Format(_make_tensor, _read_tensor, named=False),
    "events": Format(_make_events, _read_events),
    "checkpoint": Format(_make_checkpoint, _read_checkpoint),
    "saved_model": Format(_make_saved_model, _read_saved_model, named=False, classes=("OSError", "AssertionError")),
    "graph": Format(_make_graph, _read_graph, named=False, classes=("DecodeError",)),
    "keras": _keras("x.keras"),
    "h5": _keras("x.h5"),
    "weights": _keras("x.weights.h5"),
    **{name.lower(): _picture(name) for name in ("PNG", "JPEG", "GIF", "BMP")},
    "wav": Format(_make_sound, _read_sound, named=False),
    "zlib": Format(_make_packed, _read_packed, named=False),
}
