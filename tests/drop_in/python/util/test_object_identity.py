"""Containers that compare objects by identity."""

import gc

import pytest

from reflow.drop_in.python.util import object_identity


class Thing:
    pass


def test_wrappers_are_keys():
    thing = Thing()
    one, two = object_identity._ObjectIdentityWrapper(thing), object_identity._ObjectIdentityWrapper(thing)
    assert (
        one == two and one.unwrapped is thing and len({one, two}) == 1
        and object_identity.Reference(thing).deref() is thing
    )
    with pytest.raises(TypeError, match="Cannot compare wrapped object with unwrapped object"):
        bool(one == thing)


def test_weak_keys_are_not_kept():
    kept, lost = Thing(), Thing()
    values = object_identity.ObjectIdentityWeakKeyDictionary({})
    values[kept], values[lost] = 1, 2
    things = object_identity.ObjectIdentityWeakSet([kept, lost])
    assert len(values) == len(things) == 2 and lost in things
    del lost
    gc.collect()
    assert list(values) == [kept] and list(things) == [kept] and values[kept] == 1
