"""`saved_model.pb`: the file at the root of a SavedModel folder.

    folder/saved_model.pb       SavedModel: the schema's version (1) and a list of MetaGraphDef
    folder/variables/variables  a checkpoint (prefix of .index and .data files, see `reflow.train.bundle`)
    folder/assets/              files the graph refers to

A MetaGraphDef holds the graph and its function library, the signatures, the assets' names and, for models
saved by TensorFlow 2, the SavedObjectGraph, from which `tf.saved_model.load` rebuilds the objects.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable

from google.protobuf import text_format
from google.protobuf.message import DecodeError, Message
from tensorboard.compat.proto import meta_graph_pb2

from reflow.api.export import export
from reflow.core.os_errors import os_errors
from reflow.io.messages import define_message
from reflow.train import commit

SCHEMA_VERSION = 1
FILENAME, TEXT_FILENAME, CHUNKED_FILENAME = "saved_model.pb", "saved_model.pbtxt", "saved_model.cpb"

MetaGraphDef = meta_graph_pb2.MetaGraphDef
_FIELDS = [(1, "int64", "saved_model_schema_version"), (2, "repeated .tensorboard.MetaGraphDef", "meta_graphs")]
SavedModel = define_message("saved_model.proto", [meta_graph_pb2], "SavedModel", _FIELDS)


def write(export_dir: str | os.PathLike, meta_graphs: Iterable[Message]) -> str:
    """Writes `saved_model.pb`, in one step; returns its path."""
    model = SavedModel(saved_model_schema_version=SCHEMA_VERSION, meta_graphs=meta_graphs)
    path = os.path.join(os.fspath(export_dir), FILENAME)
    with os_errors(path):
        os.makedirs(export_dir, exist_ok=True)
        with commit.folder_lock(os.fspath(export_dir) or "."):
            content = serialize(model)
            commit.replace_file(path, content)
    _written.add(_digest(content))
    return path


_written: set[bytes] = set()  # digests of the files that this process has written


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()


def written_here(model: Message) -> bool:
    """Whether this process itself wrote this very model: its ops are then those of the program, not of a file."""
    return bool(_written) and _digest(serialize(model)) in _written


def serialize(model: Message) -> bytes:
    """Maps are written in the order of their keys, as TensorFlow does, so equal models are equal files."""
    return model.SerializeToString(deterministic=True)


@export("__internal__.saved_model.parse_saved_model")
def read(export_dir: str | os.PathLike) -> Message:
    """The SavedModel of a folder, from `saved_model.pb` or `saved_model.pbtxt`. OSError if there is none."""
    folder = os.fspath(export_dir)
    binary, text, chunked = (os.path.join(folder, n) for n in (FILENAME, TEXT_FILENAME, CHUNKED_FILENAME))
    if os.path.exists(binary):
        return _checked(_parse_binary(binary), binary)
    if os.path.exists(text):
        return _checked(_parse_text(text), text)
    if os.path.exists(chunked):
        raise OSError(f"{chunked} is a SavedModel in chunks, which cannot be read.")
    raise OSError(f"SavedModel file does not exist at: {folder}{os.path.sep}{{{TEXT_FILENAME}|{FILENAME}}}")


def _parse_binary(path: str) -> Message:
    with open(path, "rb") as f:
        content = f.read()
    try:
        return SavedModel.FromString(content)
    except DecodeError as e:
        raise OSError(f"Cannot parse file {path}: {e}.") from e


def _parse_text(path: str) -> Message:
    with open(path, "rb") as f:
        content = f.read()
    try:
        return text_format.Parse(content.decode("utf-8"), SavedModel())
    except (text_format.ParseError, UnicodeDecodeError, RecursionError) as e:
        raise OSError(f"Cannot parse file {path}: {e}.") from e


def _checked(model: Message, path: str) -> Message:
    if model.saved_model_schema_version > SCHEMA_VERSION:
        version = model.saved_model_schema_version
        raise OSError(f"{path} has schema version {version}; {SCHEMA_VERSION} is the newest known.")
    return model
