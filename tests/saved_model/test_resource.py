"""Resources that are no variables, in SavedModels: functions that make, fill, save and restore them."""

import reflow as tf
from reflow.saved_model import resource


def table():
    made = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    made.insert(tf.constant(["a"]), tf.constant([5], tf.int64))
    return made


def test_what_has_a_resource():
    assert (
        resource.is_resource(table()) and not resource.is_resource(tf.Variable(1.0))
        and not resource.is_resource(tf.Module())
    )


def test_functions_that_make_and_fill_it():
    functions = resource.functions_of(table())
    assert list(functions) == [resource.CREATE, resource.INITIALIZE, resource.DESTROY]
    handle = functions[resource.CREATE]()
    assert handle.dtype is tf.resource and int(functions[resource.INITIALIZE]()) == 1


def test_values_go_through_functions():
    source, target = table(), tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    save, _ = resource.saver_functions(source, "table")
    _, restore = resource.saver_functions(target, "table")
    entries = save(tf.constant("key"))
    assert sorted(e["name"].numpy() for e in entries) == [b"key-keys", b"key-values"]
    restore(*[e["tensor"] for e in entries])
    assert target.lookup(tf.constant(["a", "b"])).numpy().tolist() == [5, -1]
