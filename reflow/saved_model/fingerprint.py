"""Fingerprints: the numbers in `fingerprint.pb` that identify a SavedModel, equal to those that TensorFlow computes
from the files.

They are FarmHashes of the first MetaGraphDef's parts, as C++ serializes them (`deterministic.py`):

    saved_model_checksum      the whole message of saved_model.pb
    graph_def_program_hash    the graph without its functions, texts and versions, and without the numbers at the
                              end of functions' names
    signature_def_hash        names and contents of the signatures, in the order of the names
    saved_object_graph_hash   names (without their numbers) and contents of the functions' records, in the
                              order of the numbers
    checkpoint_hash           the file variables.index

Functions of one program may have other numbers in the next run. The *singleprint*, the last four hashes, does not
depend on them.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import uuid
from collections.abc import Mapping
from typing import Any

from google.protobuf.message import DecodeError, Message
from tensorboard.compat.proto import types_pb2, versions_pb2

from reflow.api.export import export
from reflow.graph.target import CONST
from reflow.io.messages import define_message
from reflow.ops.kernels.control.flow import CALLS
from reflow.ops.kernels.strings.hashing import farmhash, fingerprint_cat
from reflow.saved_model import deterministic, saved_model_proto
from reflow.train import commit, metrics

FILENAME = "fingerprint.pb"
_PRODUCER = 4  # of TensorFlow 2.21
_CALLS = frozenset(record.name for record in CALLS)
HASHES = ("graph_def_program_hash", "signature_def_hash", "saved_object_graph_hash", "checkpoint_hash")
_FIELDS = [
    (1, "uint64", "saved_model_checksum"),
    *[(i, "uint64", name) for i, name in enumerate(HASHES, 2)],
    (6, ".tensorboard.VersionDef", "version"),
    (7, "string", "uuid"),
]
FingerprintDef = define_message("fingerprint.proto", [versions_pb2], "FingerprintDef", _FIELDS)


@export("saved_model.experimental.Fingerprint")
@dataclasses.dataclass
class Fingerprint:
    """Holds hashes of the parts of a SavedModel.

    Args:
      saved_model_checksum: Of the model's file.
      graph_def_program_hash: Of the graph.
      signature_def_hash: Of the signatures.
      saved_object_graph_hash: Of the objects.
      checkpoint_hash: Of the index of the variables' values.
      version: How the hashes were made, a message.

    >>> tf.saved_model.experimental.Fingerprint(1, 2, 3, 4, 5).singleprint()
    '2/3/4/5'
    """

    saved_model_checksum: int | None = None
    graph_def_program_hash: int | None = None
    signature_def_hash: int | None = None
    saved_object_graph_hash: int | None = None
    checkpoint_hash: int | None = None
    version: Any = None

    @classmethod
    def from_proto(cls, proto: Any) -> Fingerprint:
        """Creates a fingerprint from a message.

        Args:
          proto: A FingerprintDef, or its bytes.

        Returns:
          A `Fingerprint`.
        """
        if isinstance(proto, bytes):
            proto = FingerprintDef.FromString(proto)
        hashes = {name: getattr(proto, name) for name in HASHES}
        return cls(saved_model_checksum=proto.saved_model_checksum, version=proto.version, **hashes)

    def __str__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)}" for name in ("saved_model_checksum", *HASHES)]
        return "\n".join(["SavedModel Fingerprint", *lines])

    def singleprint(self) -> str:
        """Returns the hashes in one text, equal for models that compute the same. The checksum of the file is not part
        of it.

        Returns:
          The hashes, with slashes between them.

        Raises:
          ValueError: A hash is missing.
        """
        values = [getattr(self, name) for name in HASHES]
        if None in values:
            named = ", ".join(f"{name}: {value}" for name, value in zip(HASHES, values, strict=True))
            raise ValueError(f"Encountered invalid fingerprint values when constructing singleprint. {named}")
        return "/".join(map(str, values))


def of_model(meta_graph: Any, model_file: bytes, index_file: bytes | None) -> Any:
    """The FingerprintDef of a SavedModel with this first MetaGraphDef, whose file and checkpoint index have the given
    contents."""
    proto = FingerprintDef(
        saved_model_checksum=farmhash(deterministic.in_order(model_file, saved_model_proto.SavedModel.DESCRIPTOR)),
        graph_def_program_hash=_program_hash(meta_graph.graph_def),
        signature_def_hash=_signatures_hash(meta_graph.signature_def),
        saved_object_graph_hash=_functions_hash(meta_graph.object_graph_def.concrete_functions),
        checkpoint_hash=0 if index_file is None else farmhash(index_file), uuid=str(uuid.uuid4().int),
    )
    proto.version.producer = _PRODUCER
    return proto


def _program_hash(graph: Any) -> int:
    program = type(graph)(node=graph.node, version=graph.version)
    if graph.HasField("debug_info"):
        program.debug_info.CopyFrom(graph.debug_info)
    for node in program.node:
        if node.op in _CALLS:
            called = node.attr["f"].func
            called.name = called.name.removesuffix(_number_of(called.name))
            if "config_proto" in node.attr:
                node.attr["config_proto"].s = b""
        elif node.op == CONST.name and node.attr["dtype"].type == types_pb2.DT_STRING:
            node.attr["value"].Clear()
    program.library.SetInParent()  # TensorFlow clears both, so they are present
    program.versions.SetInParent()
    return _hash(program)


def _signatures_hash(signatures: Mapping[str, Message]) -> int:
    result = 0
    for name in sorted(signatures, key=str.encode):
        result = fingerprint_cat(fingerprint_cat(result, farmhash(name.encode())), _hash(signatures[name]))
    return result


def _functions_hash(functions: Mapping[str, Message]) -> int:
    result = 0
    for name in sorted(functions, key=lambda name: int(_number_of(name) or -1)):
        stem = name.removesuffix(_number_of(name))
        result = fingerprint_cat(fingerprint_cat(result, farmhash(stem.encode())), _hash(functions[name]))
    return result


def _number_of(name: str) -> str:
    """The number that makes a function's name unique: what follows the last underscore, without zeros before it;
    nothing if that is none.

    >>> _number_of("__inference_f_12"), _number_of("f_007"), _number_of("f_g")
    ('12', '7', '')
    """
    end = name.rpartition("_")[2]
    return str(int(end)) if end.isascii() and end.isdigit() else ""


def _hash(message: Message) -> int:
    return farmhash(deterministic.serialize(message))


def write(folder: str, meta_graph: Any, model_file: bytes) -> None:
    """Write `fingerprint.pb` into a SavedModel's folder."""
    index = os.path.join(folder, "variables", "variables.index")
    content = pathlib.Path(index).read_bytes() if os.path.exists(index) else None
    proto = of_model(meta_graph, model_file, content)
    commit.replace_file(os.path.join(folder, FILENAME), proto.SerializeToString())
    metrics.SetWriteFingerprint(proto.SerializeToString())
    metrics.SetWritePathAndSingleprint(folder, Fingerprint.from_proto(proto).singleprint())


def note_read(folder: str) -> None:
    """Tell the metrics of the fingerprint of a model that is being loaded."""
    try:
        found = read_fingerprint(folder)
    except FileNotFoundError:
        metrics.SetFoundFingerprintOnLoad(metrics.kFingerprintNotFound)
        return
    except RuntimeError:
        metrics.SetFoundFingerprintOnLoad(metrics.kFingerprintError)
        return
    metrics.SetFoundFingerprintOnLoad(metrics.kFingerprintFound)
    metrics.SetReadFingerprint(pathlib.Path(folder, FILENAME).read_bytes())
    metrics.SetReadPathAndSingleprint(folder, found.singleprint())


@export("saved_model.experimental.read_fingerprint")
def read_fingerprint(export_dir: str | os.PathLike) -> Fingerprint:
    """Reads the fingerprint of a SavedModel.

    Args:
      export_dir: The folder of the model.

    Returns:
      A `tf.saved_model.experimental.Fingerprint`.

    Raises:
      FileNotFoundError: The folder has none.
      RuntimeError: The file cannot be read.

    >>> try:
    ...     tf.saved_model.experimental.read_fingerprint("/no/such/folder")
    ... except FileNotFoundError as error:
    ...     print(str(error).splitlines()[0])
    SavedModel Fingerprint Error: Could not find fingerprint in directory: /no/such/folder
    """
    path = os.path.join(os.fspath(export_dir), FILENAME)
    try:
        with open(path, "rb") as file:
            return Fingerprint.from_proto(file.read())
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(
            f"SavedModel Fingerprint Error: Could not find fingerprint in directory: {export_dir}\n"
            f"NOT_FOUND: {path} not found"
        ) from None
    except DecodeError as error:
        raise RuntimeError(f"SavedModel Fingerprint Error: Could not read {path}: {error}") from None
