"""The wrappers by the names under which Keras and others know them."""

import reflow as tf
from reflow.tracking import data_structures


def test_each_plain_container_has_its_wrapper():
    wrap, internal = data_structures.wrap, tf.__internal__.tracking
    assert type(wrap([1])) is data_structures.ListWrapper is internal.ListWrapper
    assert type(wrap({"a": 1})) is data_structures._DictWrapper is internal._DictWrapper
    assert isinstance(wrap((tf.Variable(1.0),)), data_structures._TupleWrapper)
    assert type(wrap((1, 2))) is tuple and wrap(3) == 3
