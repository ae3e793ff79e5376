"""Modules with attributes that a program looks up itself."""

import pytest

from reflow.drop_in.python.util.fast_module_type import get_fast_module_type_class

FastModule = get_fast_module_type_class()


def absent(module, name):
    raise AttributeError(name)


def test_attributes_are_kept_and_taken_away():
    module = FastModule("test")
    module.foo = 1
    assert module.foo == 1 and module._fastdict_key_in("foo") and module._fastdict_get("foo") == 1
    del module.foo
    assert not module._fastdict_key_in("foo") and not hasattr(module, "foo")
    with pytest.raises(KeyError, match="module has no attribute 'bar'"):
        module._fastdict_get("bar")


def test_lookups_of_a_program():
    module = FastModule("test")
    FastModule.set_getattribute_callback(module, lambda module, name: 2)
    assert module.foo == 2
    FastModule.set_getattribute_callback(module, absent)
    FastModule.set_getattr_callback(module, lambda module, name: 3)
    assert module.foo == 3
    with pytest.raises(TypeError, match="input args must be callable"):
        FastModule.set_getattr_callback(module, 1)
