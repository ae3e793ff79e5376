"""`tensorflow.python.saved_model.pywrap_saved_model.fingerprinting`.

Fingerprints of SavedModels as serialized protos and texts.
"""

import pathlib

from reflow.saved_model import fingerprint, saved_model_proto


class FileNotFoundException(Exception):
    """A folder has no fingerprint, or no SavedModel."""


class FingerprintException(Exception):
    """A fingerprint cannot be read."""


def CreateFingerprintDef(export_dir):
    """The fingerprint of a SavedModel, from its files."""
    path = pathlib.Path(export_dir, saved_model_proto.FILENAME)
    if not path.exists():
        raise FileNotFoundException(f"Could not find SavedModel in directory: {export_dir}")
    try:
        meta_graph = saved_model_proto.read(export_dir).meta_graphs[0]
    except (OSError, IndexError) as error:
        raise FingerprintException(f"Could not create fingerprint in directory: {export_dir}\n{error}") from None
    index = pathlib.Path(export_dir, "variables", "variables.index")
    content = index.read_bytes() if index.exists() else None
    return fingerprint.of_model(meta_graph, path.read_bytes(), content).SerializeToString()


def ReadSavedModelFingerprint(export_dir):
    """The fingerprint beside a SavedModel."""
    try:
        fingerprint.read_fingerprint(export_dir)
    except FileNotFoundError:
        raise FileNotFoundException(f"Could not find fingerprint in directory: {export_dir}") from None
    except RuntimeError as error:
        raise FingerprintException(str(error)) from None
    return pathlib.Path(export_dir, fingerprint.FILENAME).read_bytes()


def Singleprint(graph_def_program_hash, signature_def_hash, saved_object_graph_hash, checkpoint_hash):
    """The hashes in one text."""
    hashes = (graph_def_program_hash, signature_def_hash, saved_object_graph_hash, checkpoint_hash)
    return fingerprint.Fingerprint(None, *hashes).singleprint()


def SingleprintFromFP(export_dir):
    """The text of the fingerprint beside a SavedModel."""
    try:
        return fingerprint.Fingerprint.from_proto(ReadSavedModelFingerprint(export_dir)).singleprint()
    except FileNotFoundException:
        reason = f"NOT_FOUND: {pathlib.Path(export_dir, fingerprint.FILENAME)} not found"
    except FingerprintException as error:
        reason = str(error)
    raise FingerprintException(
        f"Could not create singleprint from the fingerprint specified by the export_dir.\n{reason}"
    )


def SingleprintFromSM(export_dir):
    """The text of a SavedModel's fingerprint, from its files."""
    try:
        return fingerprint.Fingerprint.from_proto(CreateFingerprintDef(export_dir)).singleprint()
    except (FileNotFoundException, FingerprintException) as error:
        raise FingerprintException(f"Could not create singleprint from the saved_model.\n{error}") from None
