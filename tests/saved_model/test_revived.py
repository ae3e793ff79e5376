"""Objects of registered classes come back as objects of those classes."""

import pytest

import reflow as tf
from reflow.saved_model import revived

load = tf.__internal__.saved_model.load


class Counter(tf.Module):
    def __init__(self):
        super().__init__()
        self.total = tf.Variable(0.0)


def registration(version, **options):
    return load.VersionedTypeRegistration(
        lambda proto: Counter(), version=version, min_producer_version=1, min_consumer_version=1, **options
    )


def test_a_registered_class_is_revived(tmp_path):
    set_children = []

    def setter(obj, name, value):
        set_children.append(name)
        setattr(obj, name, value)

    load.register_revived_type(
        "test_counter", lambda obj: isinstance(obj, Counter), [registration(1), registration(2, setter=setter)]
    )
    assert "test_counter" in load.registered_identifiers()
    model = tf.Module()
    model.counter = Counter()
    model.counter.total.assign(3.0)
    tf.saved_model.save(model, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path)).counter
    assert type(loaded) is Counter and float(loaded.total) == 3.0 and set_children == ["total"]
    protos = tf.__internal__.saved_model.parse_saved_model(str(tmp_path)).meta_graphs[0].object_graph_def.nodes
    (proto,) = [p.user_object for p in protos if p.user_object.identifier == "test_counter"]
    assert proto.version.producer == 2 and load.get_setter(proto) is setter
    proto.version.min_consumer = 3
    assert load.get_setter(proto) is None

    mine = Counter()
    parts = tf.__internal__.saved_model.load_partial(str(tmp_path), {"root": None, "root.counter": (mine, setattr)})
    assert parts["root"].counter is mine and float(mine.total) == 3.0
    with pytest.raises(ValueError, match="no such object"):
        tf.__internal__.saved_model.load_partial(str(tmp_path), ["root.nowhere"])


def test_what_cannot_be_registered():
    with pytest.raises(AssertionError, match="Need at least one version"):
        load.register_revived_type("test_none", lambda obj: False, [])
    with pytest.raises(AssertionError, match="multiple registrations with version 1 for type test_versions"):
        load.register_revived_type("test_versions", lambda obj: False, [registration(1), registration(1)])


def test_the_newest_version_that_may_read_a_file():
    made = [
        load.VersionedTypeRegistration(
            lambda _, v=v: v, v, min_producer_version=v, min_consumer_version=least, bad_consumers=bad
        )
        for v, least, bad in ((1, 1, None), (2, 1, None), (3, 2, None), (4, 2, [3]))
    ]
    load.register_revived_type("test_versioned", lambda obj: obj == "mine", made)
    assert revived.serialize("other") is None
    proto = revived.serialize("mine")
    assert list(proto.version.bad_consumers) == [3] and revived.deserialize(proto) == (4, setattr)
    for producer, min_consumer, bad, found in ((5, 5, [], None), (5, 1, [4, 3], 2), (3, 0, [], 3)):
        proto.version.producer, proto.version.min_consumer = producer, min_consumer
        del proto.version.bad_consumers[:]
        proto.version.bad_consumers.extend(bad)
        assert revived.deserialize(proto) == (found and (found, setattr))
