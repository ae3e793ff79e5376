"""Fingerprints that TensorFlow wrote beside its SavedModels."""

import pytest

import reflow as tf
from tools.golden import saved_tables


def test_the_numbers_are_those_that_tensorflow_reads():
    found = tf.saved_model.experimental.read_fingerprint(saved_tables.GOLDEN)
    assert str(found).splitlines()[1] == "  saved_model_checksum: 7381793997856214996"
    assert found.singleprint() == "14893487921622919847/12269131627329773579/8139463969396768430/9454218003840564952"
    assert found.version.producer == 4 and found == tf.saved_model.experimental.read_fingerprint(str(saved_tables.GOLDEN))


def test_what_is_missing_or_broken(tmp_path):
    with pytest.raises(FileNotFoundError, match="Could not find fingerprint"):
        tf.saved_model.experimental.read_fingerprint(tmp_path)
    (tmp_path / "fingerprint.pb").write_bytes(b"\xff\xff")
    with pytest.raises(RuntimeError, match="Could not read"):
        tf.saved_model.experimental.read_fingerprint(tmp_path)
    with pytest.raises(ValueError, match="invalid fingerprint values"):
        tf.saved_model.experimental.Fingerprint().singleprint()
