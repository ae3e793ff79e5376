"""Fingerprints as protos and texts."""

import pytest

import reflow as tf
from reflow.drop_in.python.saved_model.pywrap_saved_model import fingerprinting


def test_what_is_read_is_what_the_files_give(tmp_path):
    with pytest.raises(fingerprinting.FileNotFoundException, match="Could not find fingerprint"):
        fingerprinting.ReadSavedModelFingerprint(tmp_path)
    tf.saved_model.save(tf.Module(), tmp_path)
    assert fingerprinting.SingleprintFromFP(tmp_path) == fingerprinting.SingleprintFromSM(tmp_path)
