"""`tf.saved_model.experimental.read_fingerprint`: the numbers in `fingerprint.pb`, by which TensorFlow tells SavedModels apart.

TensorFlow writes the file; a model that Reflow saved has none.
"""

from __future__ import annotations

import dataclasses
import os
from typing import Any

from google.protobuf.message import DecodeError
from tensorboard.compat.proto import versions_pb2

from reflow.api.export import export
from reflow.train import protos

FILENAME = "fingerprint.pb"
_HASHES = ("graph_def_program_hash", "signature_def_hash", "saved_object_graph_hash", "checkpoint_hash")
FingerprintDef = protos.define(
    "fingerprint.proto",
    [versions_pb2],
    {
        "FingerprintDef": [
            (1, "uint64", "saved_model_checksum"),
            *[(i, "uint64", name) for i, name in enumerate(_HASHES, 2)],
            (6, ".tensorboard.VersionDef", "version"),
            (7, "string", "uuid"),
        ]
    },
)["FingerprintDef"]


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
        hashes = {name: getattr(proto, name) for name in _HASHES}
        return cls(saved_model_checksum=proto.saved_model_checksum, version=proto.version, **hashes)

    def __str__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)}" for name in ("saved_model_checksum", *_HASHES)]
        return "\n".join(["SavedModel Fingerprint", *lines])

    def singleprint(self) -> str:
        """The hashes in one text, equal for models that compute the same. The checksum of the file is not part of it."""
        values = [getattr(self, name) for name in _HASHES]
        if None in values:
            named = ", ".join(f"{name}: {value}" for name, value in zip(_HASHES, values, strict=True))
            raise ValueError(f"Encountered invalid fingerprint values when constructing singleprint. {named}")
        return "/".join(map(str, values))


@export("saved_model.experimental.read_fingerprint")
def read_fingerprint(export_dir: str | os.PathLike) -> Fingerprint:
    """The fingerprint beside a SavedModel that TensorFlow wrote.

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
