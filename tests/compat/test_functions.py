"""Functions of version 1 that differ from version 2's."""

import reflow as tf

v1 = tf.compat.v1


def test_branches_that_only_do_something_are_an_operation():
    with tf.Graph().as_default(), v1.Session() as session:
        v, flag = v1.get_variable("v", initializer=1.0), v1.placeholder(tf.bool, [])
        step = v1.cond(flag, lambda: tf.group(v1.assign_add(v, 1.0)), tf.no_op)
        session.run(v.initializer)
        for value in (True, False, True):
            session.run(step, {flag: value})
        assert session.run(v) == 3.0


def test_eager_variables_of_a_scope_have_its_name_once():
    v1 = tf.compat.v1
    with v1.variable_scope("some_scope"), v1.name_scope("inner"):
        assert v1.get_variable("matrix", [2]).name == "some_scope/matrix:0"
