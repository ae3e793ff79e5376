"""Models that are loaded into a plain graph, and saved from one."""

import pytest

import reflow as tf

v1 = tf.compat.v1


@pytest.fixture
def model(tmp_path):
    """A folder of a model with a variable, a constant, an asset and two tables."""
    (tmp_path / "words").write_text("a\nb\n")
    module = tf.Module()
    module.v, module.fixed, added = tf.Variable([1.0, 2.0]), tf.Variable(3.0, trainable=False), tf.constant(5.0)
    module.asset = tf.saved_model.Asset(tmp_path / "words")
    module.numbers = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["x", "y"], [1, 2]), -1)
    module.counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -7)
    module.counts.insert(["q"], [9])

    @tf.function(input_signature=[tf.TensorSpec([])])
    def call(x):
        found = module.numbers.lookup(tf.constant(["y", "z"])), module.counts.lookup(tf.constant(["q"]))
        return x * module.v + added, module.asset.asset_path, *found

    module.call = call
    tf.saved_model.save(module, str(tmp_path / "model"))
    return tmp_path


def shown(results):
    product, path, *found = results
    return product.tolist(), path.decode().rsplit("/", 3)[1:], *[t.tolist() for t in found]


def test_a_session_runs_it_after_the_usual_initializers(model):
    with tf.Graph().as_default() as graph:
        loaded = tf.saved_model.load(str(model / "model"))
        outputs, served = loaded.call(tf.constant(2.0)), loaded.signatures["serving_default"](tf.constant(3.0))
        assert v1.global_variables() == [loaded.v, loaded.fixed] and v1.trainable_variables() == []
        assert loaded.v.trainable and not loaded.fixed.trainable
        assert graph.get_collection(v1.GraphKeys.ASSET_FILEPATHS) == [loaded.asset.asset_path]
        with v1.Session() as session:
            session.run([v1.global_variables_initializer(), v1.tables_initializer()])
            assert shown(session.run(outputs)) == ([7.0, 9.0], ["model", "assets", "words"], [2, -1], [9])
            assert session.run(served)["output_0"].tolist() == [8.0, 11.0]
            session.run(loaded.v.assign([7.0, 7.0]))
            assert session.run(outputs[0]).tolist() == [19.0, 19.0]


def test_saved_again_with_the_values_of_the_session(model):
    with tf.Graph().as_default(), v1.Session() as session:
        loaded = tf.saved_model.load(str(model / "model"))
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        session.run(loaded.v.assign([7.0, 7.0]))
        tf.saved_model.save(loaded, str(model / "again"))
    again = tf.saved_model.load(str(model / "again"))
    assert shown([t.numpy() for t in again.call(2.0)]) == ([19.0, 19.0], ["again", "assets", "words"], [2, -1], [9])


def test_captured_constants_of_a_graph_are_saved(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        module = tf.Module()
        module.v, added = tf.Variable(2.0), tf.constant(3.0)
        module.f = tf.function(lambda x: x * module.v + added, input_signature=[tf.TensorSpec([])])
        session.run(module.v.initializer)
        tf.saved_model.save(module, str(tmp_path / "model"))
        unknown = v1.placeholder(tf.float32, [])
        module.f = tf.function(lambda x: x * unknown, input_signature=[tf.TensorSpec([])])
        with pytest.raises(ValueError, match="cannot be converted to a constant"):
            tf.saved_model.save(module, str(tmp_path / "other"))
    assert tf.saved_model.load(str(tmp_path / "model")).f(2.0).numpy() == 7.0


def test_creators_of_variables_are_asked(model):
    names = []

    def creator(next_creator, **kwargs):
        names.append(kwargs["name"])
        return next_creator(**{**kwargs, "initial_value": tf.ones([2])} if kwargs["shape"] == (2,) else kwargs)

    with tf.Graph().as_default(), tf.variable_creator_scope(creator), v1.Session() as session:
        loaded = tf.saved_model.load(
            str(model / "model"), options=tf.saved_model.LoadOptions(experimental_skip_checkpoint=True)
        )
        session.run(v1.global_variables_initializer())
        assert session.run([loaded.v, loaded.fixed])[0].tolist() == [1.0, 1.0]
    assert names == ["Variable", "Variable"]


def test_the_initializer_of_a_given_variable_reads_the_checkpoint(tmp_path):
    """As do those of metrics of Keras 2 whose class is the program's own."""
    saved = tf.Module()
    saved.v = tf.Variable([1.0, 2.0])
    tf.saved_model.save(saved, str(tmp_path))
    with tf.Graph().as_default(), v1.Session() as session:
        mine = v1.get_variable("mine", [2], initializer=tf.zeros_initializer(), use_resource=True)
        tf.__internal__.saved_model.load_partial(str(tmp_path), {"root": None, "root.v": (mine, setattr)})
        session.run(mine.initializer)
        assert session.run(mine).tolist() == [1.0, 2.0]
