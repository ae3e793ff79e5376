"""`.keras`, `.h5` and `.weights.h5`: TensorFlow's files load and train on, and Reflow's are of the same form.

`tools/golden/keras_files.py --check` loads Reflow's files with TensorFlow.
"""

import errno
import json
import os
import re
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

import reflow

reflow.install_as_tensorflow()

from tensorflow import keras  # noqa: E402

from tests.keras.saved_programs import FORMATS, load, save  # noqa: E402

GOLDEN = Path(__file__).parents[1] / "golden" / "keras_files"
EXPECTED = json.loads((GOLDEN / "expected.json").read_text())
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation", "ignore:.*HDF5 file")


def check(found):
    for name in FORMATS:
        np.testing.assert_allclose(found[name]["predicted"], EXPECTED[name]["predicted"], rtol=1e-4, atol=2e-6)
        trained = EXPECTED["model.keras"]  # TensorFlow cannot train what it loads from .h5
        np.testing.assert_allclose(found[name]["losses"], trained["losses"], rtol=1e-4)
        assert found[name]["steps"] == trained["steps"] == 12  # six before saving, six after


def test_tensorflows_files_load_and_train_on():
    check(load(keras, str(GOLDEN)))


def entries(path) -> dict:
    """The datasets of an HDF5 file: path to shape and dtype."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(
            lambda name, thing: found.update(
                {name: (thing.shape, thing.dtype.str)}
            ) if hasattr(thing, "shape") else None
        )
    return found


def config(archive) -> dict:
    """The model's description, without addresses of shared objects."""
    return json.loads(re.sub(rb'"shared_object_id": \d+', b'"shared_object_id": 0', archive.read("config.json")))


def test_reflows_files_have_the_same_form_and_load(tmp_path):
    keras.utils.clear_session()
    save(keras, str(tmp_path))
    check(load(keras, str(tmp_path)))
    for name in ("model.h5", "only.weights.h5"):
        assert entries(tmp_path / name) == entries(GOLDEN / name)
    with zipfile.ZipFile(tmp_path / "model.keras") as ours, zipfile.ZipFile(GOLDEN / "model.keras") as theirs:
        assert ours.namelist() == theirs.namelist()
        assert config(ours) == config(theirs)


@pytest.mark.parametrize("name", ["model.keras", "model.h5", "only.weights.h5", "old.weights.hdf5"])
def test_a_full_disk_leaves_the_old_file(name, tmp_path, monkeypatch):
    model, path = keras.Sequential([keras.Input([3]), keras.layers.Dense(2)]), tmp_path / name
    write = model.save_weights if "weights" in name else model.save
    write(path)
    before = path.read_bytes()
    with monkeypatch.context() as patch, pytest.raises(reflow.errors.ResourceExhaustedError, match=name):
        patch.setattr(os, "fsync", full_disk)
        write(path)
    assert path.read_bytes() == before and list(tmp_path.iterdir()) == [path]


def full_disk(fd):
    raise OSError(errno.ENOSPC, "No space left on device")


def test_an_h5_file_is_said_to_be_legacy(tmp_path, caplog):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    with caplog.at_level("WARNING", logger="absl"):
        model.save(tmp_path / "model.h5")
    assert "You are saving your model as an HDF5 file" in caplog.text
