"""SavedModels on disk."""

import pytest

import reflow as tf
from tests.saved_model.models import Scale
from tools.golden import saved_model as golden


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    tf.saved_model.save(Scale(), folder)
    return folder


@pytest.fixture(scope="module")
def trainer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trainer")
    model = golden.build(tf)
    golden.save(tf, model, folder)
    return model, folder / "model"
