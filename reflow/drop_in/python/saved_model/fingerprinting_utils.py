"""`tensorflow.python.saved_model.fingerprinting_utils`: fingerprints written and read, with ValueError where there is
none."""

import contextlib
import os

from google.protobuf.message import Message

from reflow.drop_in.python.saved_model.pywrap_saved_model import fingerprinting
from reflow.drop_in.python.saved_model.pywrap_saved_model.fingerprinting import (
    FingerprintException as FingerprintException,
)
from reflow.saved_model.fingerprint import FILENAME, HASHES, Fingerprint, FingerprintDef
from reflow.train import commit, metrics


def write_fingerprint(export_dir: str) -> None:
    """Write `fingerprint.pb` beside the SavedModel of a folder."""
    try:
        content = fingerprinting.CreateFingerprintDef(export_dir)
    except (FingerprintException, fingerprinting.FileNotFoundException) as error:
        raise ValueError(error) from None
    commit.replace_file(os.path.join(export_dir, FILENAME), content)
    metrics.SetWriteFingerprint(content)
    metrics.SetWritePathAndSingleprint(export_dir, singleprint_from_fingerprint_proto(export_dir))


def singleprint_from_saved_model_proto(export_dir: str) -> str:
    """The hashes of a SavedModel in one text, from its files."""
    try:
        return fingerprinting.SingleprintFromSM(export_dir)
    except FingerprintException as error:
        raise ValueError(error) from None


def singleprint_from_fingerprint_proto(export_dir: str) -> str:
    """The hashes of a SavedModel in one text, from the fingerprint beside it."""
    try:
        return fingerprinting.SingleprintFromFP(export_dir)
    except FingerprintException as error:
        raise ValueError(error) from None


def singleprint_from_saved_model(export_dir: str) -> str:
    """The hashes of a SavedModel in one text, from the fingerprint beside it.

    If there is none, it is written where that is possible."""
    try:
        return singleprint_from_fingerprint_proto(export_dir)
    except ValueError:
        with contextlib.suppress(OSError):
            write_fingerprint(export_dir)
    return singleprint_from_saved_model_proto(export_dir)


def to_proto(fingerprint: Fingerprint) -> Message:
    """The proto of a fingerprint's hashes."""
    return FingerprintDef(**{name: getattr(fingerprint, name) for name in ("saved_model_checksum", *HASHES)})
