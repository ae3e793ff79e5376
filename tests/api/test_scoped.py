"""Functions made of several ops open a name scope in graphs, as TensorFlow's do."""

import reflow as tf
from reflow.api.scoped import scoped


@scoped("twice", result=True)
def twice(x, name=None):
    return tf.identity(x) + x


@scoped("both")
def both(x, **kwargs):
    return tf.negative(x)


def names(function):
    graph = tf.Graph()
    with graph.as_default():
        function(tf.compat.v1.placeholder(tf.float32, name="x"))
    return [op.name for op in graph.get_operations()][1:]


def test_nodes_lie_below_the_functions_name_and_the_result_has_it():
    assert names(lambda x: (twice(x), twice(x))) == ["twice/Identity", "twice", "twice_1/Identity", "twice_1"]


def test_the_users_name_wins_by_position_and_by_keyword():
    assert names(lambda x: twice(x, "mine")) == names(lambda x: twice(x, name="mine")) == ["mine/Identity", "mine"]


def test_a_name_among_keywords():
    assert names(lambda x: both(x)) == ["both/Neg"] and names(lambda x: both(x, name="a")) == ["a/Neg"]


def test_eager_code_has_no_names():
    assert float(twice(tf.constant(1.0), name="mine")) == 2.0


def test_a_function_without_a_name_opens_its_scope():
    plain = scoped("plain")(lambda x: tf.negative(x))
    assert names(lambda x: (plain(x), plain(x))) == ["plain/Neg", "plain_1/Neg"]
