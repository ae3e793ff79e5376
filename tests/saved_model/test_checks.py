"""What is looked at in a SavedModel because files are not trusted."""

import pytest

import reflow as tf
from reflow.saved_model import checks, saved_model_proto


@pytest.fixture
def objects(model):
    """The objects of a small model."""
    return saved_model_proto.read(model).meta_graphs[0].object_graph_def


def test_references_to_objects_that_do_not_exist(objects):
    checks.check_references(objects)
    objects.nodes[0].children.add(node_id=99, local_name="x")
    with pytest.raises(ValueError, match="object 0 refers to object 99"):
        checks.check_references(objects)


def test_functions_that_capture_nothing_that_exists(objects):
    name = next(iter(objects.concrete_functions))
    objects.concrete_functions[name].bound_inputs.append(-1)
    with pytest.raises(ValueError, match="refers to object -1"):
        checks.check_references(objects)


def tuple_of(objects, *held):
    node = objects.nodes.add()
    node.user_object.identifier = checks.TUPLE
    for i, other in enumerate(held):
        node.children.add(node_id=other, local_name=str(i))
    return len(objects.nodes) - 1


def test_tuples_are_made_from_the_inside(objects):
    inner = tuple_of(objects)
    outer = tuple_of(objects, inner)
    assert checks.tuples_inside_out(objects.nodes) == [inner, outer]
    assert checks.elements(objects.nodes[outer]) == [inner]


def test_tuples_that_hold_each_other(objects):
    first = tuple_of(objects)
    second = tuple_of(objects, first)
    objects.nodes[first].children.add(node_id=second, local_name="0")
    with pytest.raises(ValueError, match="tuples hold themselves or each other"):
        checks.tuples_inside_out(objects.nodes)


def test_functions_that_may_never_end_are_not_run_while_loading():
    def graph(function):
        return tf.function(function, autograph=False).get_concrete_function(tf.constant(1.0)).graph

    checks.check_ends(graph(lambda x: tf.cond(x > 0.0, lambda: x, lambda: -x)), ())
    loop = graph(lambda x: tf.while_loop(lambda y: y < 10.0, lambda y: [y * 2.0], [x]))
    with pytest.raises(tf.errors.PermissionDeniedError, match="While"):
        checks.check_ends(loop, ())
    checks.check_ends(loop, {"While", "StatelessWhile"})


def test_functions_that_read_datasets_are_not_run_while_loading():
    def graph(function):
        return tf.function(function, autograph=False, input_signature=[]).get_concrete_function().graph

    checks.check_ends(graph(lambda: tf.identity(tf.data.Dataset.range(3).map(lambda x: x + 1)._variant_tensor)), ())
    with pytest.raises(tf.errors.PermissionDeniedError, match="ReduceDataset"):
        checks.check_ends(graph(lambda: tf.data.Dataset.range(3).repeat().reduce(0, lambda n, _: n)), ())
