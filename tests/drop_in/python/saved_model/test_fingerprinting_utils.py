"""`reflow/drop_in/python/saved_model/fingerprinting_utils.py`: fingerprints beside SavedModels and without one."""

import os

import pytest

import reflow as tf
from reflow.drop_in.python.saved_model import fingerprinting_utils as utils


def test_a_missing_fingerprint_is_written(tmp_path):
    model = str(tmp_path)
    module = tf.Module()
    module.v = tf.Variable(1.0)
    tf.saved_model.save(module, model)
    text = utils.singleprint_from_fingerprint_proto(model)
    assert utils.singleprint_from_saved_model(model) == utils.singleprint_from_saved_model_proto(model) == text
    os.remove(tmp_path / "fingerprint.pb")
    assert utils.singleprint_from_saved_model(model) == text and (tmp_path / "fingerprint.pb").exists()
    proto = utils.to_proto(tf.saved_model.experimental.read_fingerprint(model))
    assert proto.checkpoint_hash == int(text.split("/")[3]) and not proto.HasField("version")


def test_folders_without_one(tmp_path):
    with pytest.raises(ValueError, match="from the fingerprint specified by the export_dir.\nNOT_FOUND: .* not found"):
        utils.singleprint_from_fingerprint_proto(str(tmp_path))
    for name in ("fingerprint.pb", "saved_model.pb"):
        (tmp_path / name).write_bytes(b"\xff\xffgarbage")
    with pytest.raises(ValueError, match="Could not create singleprint from the fingerprint"):
        utils.singleprint_from_fingerprint_proto(str(tmp_path))
    with pytest.raises(ValueError, match="Could not create singleprint from the saved_model"):
        utils.singleprint_from_saved_model_proto(str(tmp_path))
    with pytest.raises(ValueError, match="Could not create fingerprint in directory"):
        utils.write_fingerprint(str(tmp_path))
    with pytest.raises(ValueError, match="Could not create fingerprint in directory"):
        utils.singleprint_from_saved_model(str(tmp_path))
