"""SavedModels that Keras 2 wrote load as Keras models."""

import json
import logging
import shutil

import numpy as np
import pytest

from reflow import keras
from reflow.keras.compat import folders
from tools.golden import keras2_folders as golden


@pytest.mark.parametrize("name", ["sequential", "functional"])
def test_a_model_of_keras_2_is_a_model_again(name):
    model = keras.models.load_model(golden.GOLDEN / name)
    assert type(model) is (keras.Sequential if name == "sequential" else keras.Model) or isinstance(model, keras.Model)
    assert [layer.name for layer in model.layers][-1] == ("last" if name == "sequential" else "soft")
    results = model(golden.INPUTS)
    with np.load(golden.GOLDEN / "expected.npz") as expected:
        for i, result in enumerate(results if isinstance(results, list) else [results]):
            np.testing.assert_allclose(result, expected[f"{name}/{i}"], rtol=1e-5, atol=1e-6)
    targets = np.ones((3, 2), np.float32) if name == "sequential" else [np.ones((3, 3), np.float32)] * 2
    losses = model.fit(golden.INPUTS, targets, epochs=2, verbose=0).history["loss"]
    assert losses[1] < losses[0]


def test_what_was_compiled_is_compiled_only_if_that_is_asked_for():
    assert not keras.models.load_model(golden.GOLDEN / "sequential", compile=False).compiled
    assert keras.models.load_model(golden.GOLDEN / "sequential").optimizer.name.startswith("adam")


def test_a_class_that_is_not_known_leaves_a_model_that_can_be_called(tmp_path, caplog):
    folder = tmp_path / "model"
    shutil.copytree(golden.GOLDEN / "sequential", folder)
    proto = folders.SavedMetadata.FromString((folder / folders.FILENAME).read_bytes())
    (root,) = [node for node in proto.nodes if node.node_path == "root"]
    description = json.loads(root.metadata)
    description["config"]["layers"][1]["class_name"] = "Unheard"
    root.metadata = json.dumps(description)
    (folder / folders.FILENAME).write_bytes(proto.SerializeToString())
    with caplog.at_level(logging.WARNING):
        model = keras.models.load_model(folder)
    assert model(golden.INPUTS).shape == (3, 2)
    (folder / folders.FILENAME).write_bytes(b"\xff" * 10)
    with pytest.raises(ValueError, match="Cannot parse"):
        folders.load(keras, str(folder), None, True)
