"""`tf_keras`: the package of Keras 2 where it is installed and asked for, else another name of `tensorflow.keras`."""

from tests.drop_in.processes import check, python

ALIAS = """
import tf_keras, tensorflow as tf
from tf_keras import __internal__
import tf_keras.api._v2.keras as v2
import tf_keras.api._v1.keras.__internal__.legacy.layers as layers
assert tf_keras is tf.keras is v2 and layers is tf.compat.v1.layers is __internal__.legacy.layers
__internal__.utils.register_symbolic_tensor_type(int)
"""
PACKAGE = """
import sys
sys.path.insert(0, sys.argv[1])
import tensorflow as tf, tf_keras
import tensorflow.compat.v1.keras as old
assert tf_keras.__file__.startswith(sys.argv[1]) and tf.keras.layers == "layers 2" and old.layers == "layers 1"
"""


def test_without_the_package_it_is_an_alias():
    check(ALIAS)


def test_the_package_is_used_if_it_is_asked_for(tmp_path):
    for version in (1, 2):
        folder = tmp_path / "tf_keras" / "api" / f"_v{version}" / "keras"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(f"layers = 'layers {version}'\n")
    (tmp_path / "tf_keras" / "__init__.py").touch()
    done = python("-m", "reflow", "-c", PACKAGE, tmp_path, TF_USE_LEGACY_KERAS="1")
    assert done.returncode == 0, done.stderr
