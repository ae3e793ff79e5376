"""Modules that are imported when they are first used."""

import pickle
import string

from reflow.drop_in.python.util.lazy_loader import LazyLoader


def test_the_module_takes_its_place():
    names = {}
    lazy = names["s"] = LazyLoader("s", names, "string")
    assert repr(lazy) == "<LazyLoader string as s>" and names["s"] is lazy
    assert lazy.digits == string.digits and names["s"] is string
    lazy.of_mine = 1
    assert string.of_mine == 1 and "of_mine" in dir(lazy)
    del lazy.of_mine
    assert not hasattr(string, "of_mine") and pickle.loads(pickle.dumps(lazy)) is string
