"""`tf.saved_model.experimental.TrackableResource`: a resource that is made when it is first asked for."""

import pytest

import reflow as tf
from reflow.tracking.resource import TrackableResource


class Counted(TrackableResource):
    made = 0

    def _create_resource(self):
        self.made += 1
        return tf.raw_ops.AnonymousMutableHashTable(key_dtype=tf.string, value_dtype=tf.int64)


def test_the_handle_is_made_once():
    resource = Counted()
    assert resource.made == 0
    handle = resource.resource_handle
    assert resource.resource_handle is handle and resource.made == 1


def test_in_a_function_it_is_made_outside():
    resource = Counted()
    f = tf.function(lambda: tf.raw_ops.LookupTableSizeV2(table_handle=resource.resource_handle))
    assert [int(f()) for _ in range(3)] == [0, 0, 0] and resource.made == 1


def test_a_subclass_must_say_how():
    with pytest.raises(NotImplementedError):
        TrackableResource().resource_handle  # noqa: B018
