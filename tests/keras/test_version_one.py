"""`tf.compat.v1.keras`: Keras' one namespace, or that of version 1 in the package of Keras 2."""

import reflow as tf
from tests.drop_in.processes import python

ATTRIBUTE = """
import tensorflow as tf
v1 = tf.compat.v1
assert v1.keras.layers == "layers 1" and tf.keras.layers == "layers 2" and "layers" in dir(v1.keras)
assert v1.keras.__name__ == "tf_keras.api._v1.keras"
"""


def test_keras_3_has_one_namespace():
    assert tf.compat.v1.keras.layers.Dense is tf.keras.layers.Dense
    assert "Sequential" in dir(tf.compat.v1.keras)


def test_keras_2_has_one_for_version_1(tmp_path, monkeypatch):
    for version in (1, 2):
        folder = tmp_path / "tf_keras" / "api" / f"_v{version}" / "keras"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(f"layers = 'layers {version}'\n")
    (tmp_path / "tf_keras" / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    done = python("-m", "reflow", "-c", ATTRIBUTE, TF_USE_LEGACY_KERAS="1")
    assert done.returncode == 0, done.stderr
