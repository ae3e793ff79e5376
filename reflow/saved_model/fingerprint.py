"""Fingerprints: the numbers in `fingerprint.pb`, by which SavedModels are told apart.

They are hashes of 64 bits of the parts of a SavedModel: of the file, of the graph and the objects (without the numbers that make the names of
functions unique, so that a program that saves twice gives equal hashes), of the signatures in order, and of the checkpoint's index. TensorFlow
takes FarmHash for them; Reflow takes BLAKE2, which Python has in C (FarmHash in Python needs a second for 4 MB). Nothing compares the two.
"""

from __future__ import annotations

import dataclasses
import hashlib
import os
import pathlib
import re
import uuid
from typing import Any

from google.protobuf.message import DecodeError
from tensorboard.compat.proto import versions_pb2

from reflow.api.export import export
from reflow.io.messages import define_message
from reflow.train import commit, metrics

FILENAME = "fingerprint.pb"
_PRODUCER = 3  # of TensorFlow 2.21
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
    """Hashes of the parts of a SavedModel.

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
        """The fingerprint of a FingerprintDef, or of its bytes."""
        if isinstance(proto, bytes):
            proto = FingerprintDef.FromString(proto)
        hashes = {name: getattr(proto, name) for name in HASHES}
        return cls(saved_model_checksum=proto.saved_model_checksum, version=proto.version, **hashes)

    def __str__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)}" for name in ("saved_model_checksum", *HASHES)]
        return "\n".join(["SavedModel Fingerprint", *lines])

    def singleprint(self) -> str:
        """The hashes in one text, equal for models that compute the same. The checksum of the file is not part of it."""
        values = [getattr(self, name) for name in HASHES]
        if None in values:
            named = ", ".join(f"{name}: {value}" for name, value in zip(HASHES, values, strict=True))
            raise ValueError(f"Encountered invalid fingerprint values when constructing singleprint. {named}")
        return "/".join(map(str, values))


def of_model(meta_graph: Any, model_file: bytes, index_file: bytes | None) -> Any:
    """The FingerprintDef of a SavedModel with one MetaGraphDef, whose file and checkpoint index have the given contents."""
    signatures = 0
    for name in sorted(meta_graph.signature_def):
        own = _hash(_bytes(meta_graph.signature_def[name]))
        signatures = _joined(_joined(signatures, _hash(name.encode())), own)
    proto = FingerprintDef(
        saved_model_checksum=_hash(model_file), graph_def_program_hash=_hash(_without_numbers(_bytes(meta_graph.graph_def))),
        signature_def_hash=signatures, saved_object_graph_hash=_hash(_without_numbers(_bytes(meta_graph.object_graph_def))),
        checkpoint_hash=0 if index_file is None else _hash(index_file), uuid=str(uuid.uuid4().int),
    )
    proto.version.producer = _PRODUCER
    return proto


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


def _bytes(proto: Any) -> bytes:
    return proto.SerializeToString(deterministic=True)


def _without_numbers(data: bytes) -> bytes:
    """Serialized functions whose names (`__inference_f_123`) have lost the numbers that differ from one save to the next."""
    return re.sub(rb"(__(?:inference|forward|backward)_\w*?)_\d+\b", rb"\1", data)


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def _joined(first: int, second: int) -> int:
    """One number for two, in this order."""
    return _hash(first.to_bytes(8, "little") + second.to_bytes(8, "little"))


@export("saved_model.experimental.read_fingerprint")
def read_fingerprint(export_dir: str | os.PathLike) -> Fingerprint:
    """The fingerprint of a SavedModel.

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
            f"SavedModel Fingerprint Error: Could not find fingerprint in directory: {export_dir}\nNOT_FOUND: {path} not found"
        ) from None
    except DecodeError as error:
        raise RuntimeError(f"SavedModel Fingerprint Error: Could not read {path}: {error}") from None
