"""Public names of functions."""

import sys
import types

import pytest

import reflow as tf
from reflow.drop_in.python.util import tf_export as exports


def test_names_of_ours_and_back():
    names = [
        exports.get_canonical_name_for_symbol(f)
        for f in (tf.nn.relu, tf.add, tf.cast, tf.__operators__.add, tf.RaggedTensor)
    ]
    assert names == ["nn.relu", "math.add", "cast", "__operators__.add", "RaggedTensor"]
    assert [exports.get_symbol_from_name(name) for name in names[:4]] == [
        tf.nn.relu, tf.add, tf.cast, tf.__operators__.add
    ]
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
    assert (
        exports.get_symbol_from_name("keras.same") is Thing
        and exports.get_symbol_from_name("compat.v1.keras.old") is Thing
    )
    only_old = exports.tf_export("old.name", v1=["old.name"])(lambda: 1)
    assert exports.get_canonical_name_for_symbol(only_old) == "old.name"
    exports.tf_export("a.constant").export_constant(__name__, "CONSTANT")
    assert exports.get_symbol_from_name("a.constant") is None


CONSTANT = 7


def test_names_that_are_not_deprecated_come_first():
    assert exports.get_canonical_name(["a", "b"], ["a"]) == "b" and exports.get_canonical_name(["a"], ["a"]) is None

    def old():
        pass

    old._tf_deprecated_api_names = ["q.b"]
    assert exports.get_canonical_name_for_symbol(exports.tf_export("q.b", "q.c")(old)) == "q.c"


def test_constants_of_a_module(monkeypatch):
    module = types.ModuleType("with_constants")
    module.SIZE = 3
    monkeypatch.setitem(sys.modules, "with_constants", module)
    exports.tf_export("sizes.SIZE", v1=["sizes.OLD"]).export_constant("with_constants", "SIZE")
    assert exports.get_v2_constants(module) == [(("sizes.SIZE",), "SIZE")]
    assert exports.get_v1_constants(module) == [(["sizes.OLD"], "SIZE")]


def test_names_of_keras_are_below_keras():
    with pytest.raises(exports.InvalidSymbolNameError, match="under package name of component"):
        exports.keras_export("tf.layers.Layer")


def test_functions_that_take_names_only():
    @exports.kwarg_only
    def add(a, b=2):
        return a + b

    assert add(a=1) == 3
    with pytest.raises(TypeError, match=r"add only takes keyword args \(possible keys: \['a', 'b'\]\)"):
        add(1, 2)
