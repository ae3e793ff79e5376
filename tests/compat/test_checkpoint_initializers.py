"""Variables initialized from checkpoints."""

import pytest

import reflow as tf

v1 = tf.compat.v1


@pytest.fixture
def path(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("old/a", initializer=[1.0, 2.0])
        v1.get_variable("b", initializer=3.0)
        session.run(v1.global_variables_initializer())
        return v1.train.Saver().save(session, str(tmp_path / "x"))


@pytest.mark.parametrize(
    "assignments", [{"old/": "new/"}, {"old/a": "new/a"}, [("old/a", "new/a")], {"old/": "new/", "b": "c"}], ids=str
)
def test_names_and_scopes(path, assignments):
    with tf.Graph().as_default(), v1.Session() as session:
        a, c = v1.get_variable("new/a", [2]), v1.get_variable("c", initializer=0.0)
        v1.train.init_from_checkpoint(path, assignments)
        session.run(v1.global_variables_initializer())
        assert session.run(a).tolist() == [1.0, 2.0]
        assert session.run(c) == (3.0 if "b" in dict(assignments) else 0.0)


def test_variables_and_folders(path):
    with tf.Graph().as_default(), v1.Session() as session:
        a = v1.get_variable("x", [2])
        v1.train.init_from_checkpoint(path.rpartition("/")[0], {"old/a": a})
        session.run(a.initializer)
        assert session.run(a).tolist() == [1.0, 2.0]


def test_what_does_not_fit(path):
    with tf.Graph().as_default():
        a = v1.get_variable("a", [3])
        with pytest.raises(ValueError, match=r"Shape of variable a:0 \(\(3,\)\) doesn't match"):
            v1.train.init_from_checkpoint(path, {"old/a": a})
        with pytest.raises(ValueError, match="Tensor nothing is not found in"):
            v1.train.init_from_checkpoint(path, {"nothing": a})
        with pytest.raises(ValueError, match="no variable lies in it"):
            v1.train.init_from_checkpoint(path, {"old/": "none/"})


def test_variables_of_a_graph_are_compared_as_objects():
    with tf.Graph().as_default():
        a, b = tf.Variable(1.0), tf.Variable(1.0)
        assert a == a and a != b and b in [a, b] and len({a, b}) == 2
        with tf.name_scope("scope"):
            average = tf.train.ExponentialMovingAverage(0.5)
            average.apply([a])
        assert v1.moving_average_variables() == [a] and average.average(a).name == "Variable/ExponentialMovingAverage:0"
