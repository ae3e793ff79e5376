"""Public names of functions."""

import reflow as tf
from reflow.drop_in.python.util import tf_export as exports


def test_names_of_ours_and_back():
    names = [exports.get_canonical_name_for_symbol(f) for f in (tf.nn.relu, tf.add, tf.cast, tf.__operators__.add, tf.RaggedTensor)]
    assert names == ["nn.relu", "math.add", "cast", "__operators__.add", "RaggedTensor"]
    assert [exports.get_symbol_from_name(name) for name in names[:4]] == [tf.nn.relu, tf.add, tf.cast, tf.__operators__.add]
    assert exports.get_symbol_from_name("no.such") is None
    mask = tf.compat.v1.boolean_mask
    assert exports.get_canonical_name_for_symbol(mask, add_prefix_to_v1_names=True) == "compat.v1.boolean_mask"
    assert exports.get_canonical_name_for_symbol(len) is None


def test_names_of_a_library():
    @exports.keras_export("keras.thing", "keras.same", v1=["keras.old"])
    class Thing:
        pass

    class Other(Thing):
        pass

    assert exports.get_canonical_name_for_symbol(Thing, api_name="keras") == "keras.thing"
    assert exports.get_canonical_name_for_symbol(Other, api_name="keras") is None
    assert exports.get_v2_names(Thing) == ["keras.thing", "keras.same"] and exports.get_v1_names(Thing) == ["keras.old"]
    assert exports.get_symbol_from_name("keras.same") is Thing and exports.get_symbol_from_name("compat.v1.keras.old") is Thing
    only_old = exports.tf_export("old.name", v1=["old.name"])(lambda: 1)
    assert exports.get_canonical_name_for_symbol(only_old) == "old.name"
    exports.tf_export("a.constant").export_constant(__name__, "CONSTANT")
    assert exports.get_symbol_from_name("a.constant") == 7


CONSTANT = 7
