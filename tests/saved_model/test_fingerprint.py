"""Fingerprints of SavedModels: those that TensorFlow wrote are found again."""

import pathlib

import pytest

import reflow as tf
from reflow.saved_model import fingerprint, saved_model_proto
from tests import ROOT
from tools.golden import saved_tables

GOLDEN = ROOT / "tests" / "golden"


def computed(folder: pathlib.Path) -> fingerprint.Fingerprint:
    index = folder / "variables" / "variables.index"
    content = index.read_bytes() if index.exists() else None
    meta_graph = saved_model_proto.read(folder).meta_graphs[0]
    model_file = (folder / saved_model_proto.FILENAME).read_bytes()
    return fingerprint.Fingerprint.from_proto(fingerprint.of_model(meta_graph, model_file, content))


@pytest.mark.parametrize("recorded", sorted(GOLDEN.rglob(fingerprint.FILENAME)), ids=lambda path: path.parent.name)
def test_models_of_tensorflow_have_the_fingerprints_that_it_wrote(recorded):
    assert computed(recorded.parent) == tf.saved_model.experimental.read_fingerprint(recorded.parent)


def test_models_of_reflow_and_of_version_one_have_the_fingerprints_that_tensorflow_computes():
    """The numbers are those of TensorFlow's `pywrap_saved_model.fingerprinting.CreateFingerprintDef`."""
    ours = computed(GOLDEN / "saved_model" / "reflow" / "model")
    assert ours.saved_model_checksum == 12992158090207490790
    assert ours.singleprint() == "2336534117429142837/10255558929938145602/13347146528846464013/9500259635074962775"
    old = computed(GOLDEN / "version_one" / "model")
    assert old.saved_model_checksum == 1892787344891910190
    assert old.singleprint() == "2004134368210611245/7196421664482602938/0/1889845012792091563"


def test_a_program_that_saves_twice_gives_equal_fingerprints(tmp_path):
    def save(name: str) -> fingerprint.Fingerprint:
        module = tf.Module()
        module.f = tf.function(lambda x: tf.where(x > 0.0, x, 2.0 * x), input_signature=[tf.TensorSpec([None])])
        tf.saved_model.save(module, tmp_path / name)
        found = tf.saved_model.experimental.read_fingerprint(tmp_path / name)
        assert found == computed(tmp_path / name)
        return found

    assert save("first") == save("second")


def test_the_numbers_are_those_that_tensorflow_reads():
    found = tf.saved_model.experimental.read_fingerprint(saved_tables.GOLDEN)
    assert str(found).splitlines()[1] == "  saved_model_checksum: 7381793997856214996"
    assert found.singleprint() == "14893487921622919847/12269131627329773579/8139463969396768430/9454218003840564952"
    assert (
        found.version.producer == 4 and found == tf.saved_model.experimental.read_fingerprint(str(saved_tables.GOLDEN))
    )


def test_what_is_missing_or_broken(tmp_path):
    with pytest.raises(FileNotFoundError, match="Could not find fingerprint"):
        tf.saved_model.experimental.read_fingerprint(tmp_path)
    (tmp_path / "fingerprint.pb").write_bytes(b"\xff\xff")
    with pytest.raises(RuntimeError, match="Could not read"):
        tf.saved_model.experimental.read_fingerprint(tmp_path)
    with pytest.raises(ValueError, match="invalid fingerprint values"):
        tf.saved_model.experimental.Fingerprint().singleprint()
