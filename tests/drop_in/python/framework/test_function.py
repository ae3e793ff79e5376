"""Functions of TensorFlow 1."""

import pytest

import reflow as tf
from reflow.drop_in.python.framework.function import (
    Defun,
    from_library,
    get_extra_args,
    get_extra_inputs,
    get_extra_vars,
)


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        yield session


def test_declared_types(session):
    @Defun(tf.float32, tf.float32, func_name="Poly")
    def poly(x, y):
        return x * x + y, y

    first, second = poly(3.0, 1.0)
    assert session.run([first, second]) == [10.0, 1.0]
    assert poly.name == "Poly" and poly.declared_input_types == (tf.float32, tf.float32) and first.op.name == "Poly"
    x = tf.constant(2.0)
    assert session.run(tf.gradients(poly(x, 1.0)[0], x)) == [4.0]


def test_types_of_the_call(session):
    double = Defun()(lambda x: x + x)
    assert session.run([double(2), double(0.5)]) == [4, 1.0]


def test_gradients_by_a_function(session):
    gradient = Defun(tf.float32, tf.float32)(lambda x, dy: 7.0 * dy)
    by_function = Defun(tf.float32, grad_func=gradient)(lambda x: x * x)
    by_python = Defun(tf.float32, python_grad_func=lambda op, dy: dy * op.inputs[0] * 100.0)(lambda x: x * x)
    x = tf.constant(2.0)
    assert session.run([tf.gradients(f(x), x)[0] for f in (by_function, by_python)]) == [7.0, 200.0]
    twice = Defun(tf.float32, grad_func=gradient, python_grad_func=lambda op, dy: dy)(lambda x: x)
    with pytest.raises(ValueError, match="Gradient defined twice"):
        twice.add_to_graph(tf.Graph())


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: Defun(tf.float32)(3), "must be a callable"),
        (lambda: Defun(tf.float32)(lambda x, y: x), "minimum 2 and maximum 2"),
        (lambda: Defun(tf.float32)(lambda x, y=2: x), "argument defaults"),
        (lambda: Defun(tf.float32)(lambda x: x)(1.0, 2.0), "Expected 1 arguments, got 2"),
    ],
)
def test_errors(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_names_of_functions_and_outputs(session):
    @Defun(tf.float32, tf.float32, func_name="SumAndProduct", out_names=["s", "p"], noinline=True)
    def both(x, y):
        return x + y, x * y

    results = both(2.0, 3.0, name="call")
    assert [t.name for t in results] == ["call:0", "call:1"] and session.run(results) == (5.0, 6.0)
    definition = both.definition
    assert [arg.name for arg in definition.signature.output_arg] == sorted(definition.ret, reverse=True) == ["s", "p"]
    assert definition.signature.name == "SumAndProduct" and definition.attr["_noinline"].b
    library = session.graph.as_graph_def().library.function
    assert [function.signature.name for function in library] == ["SumAndProduct"]
    with pytest.raises(ValueError, match="output names size = 1 outputs size = 2"):
        _ = Defun(tf.float32, out_names=["s"])(lambda x: (x, x)).definition
    with pytest.raises(ValueError, match="Unknown keyword arguments"):
        both(1.0, 2.0, foo=3)


def test_a_name_that_no_node_may_have(session):
    @Defun(tf.float32)
    def _hidden(x):
        return x + 1.0

    assert session.run(_hidden(1.0)) == 2.0 and _hidden.name.startswith("hidden_")


def test_names_of_overloads(session):
    smaller = Defun(func_name="Min")(lambda x, y: tf.minimum(x, y))
    assert [smaller(1.0, 2.0).op.name, smaller(1, 2).op.name] == ["Min_f32f32", "Min_i32i32"]


def test_what_a_function_uses_from_outside(session):
    outside, seen = tf.constant(5.0), []

    @Defun(tf.float32)
    def f(x):
        y = x + outside
        seen.append((get_extra_inputs(), [t.dtype for t in get_extra_args()], get_extra_vars()))
        return y

    assert session.run(f(1.0)) == 6.0 and f.stateful_ops == []
    [(inputs, kinds, variables)] = seen
    assert inputs[0] is outside and kinds == [tf.float32] and variables == []
    assert get_extra_inputs() == get_extra_args() == get_extra_vars() == []


def test_gradients_have_names():
    gradient = Defun(tf.float32, tf.float32, func_name="G")(lambda x, dy: dy)
    assert Defun(tf.float32, grad_func=gradient)(lambda x: x).grad_func_name == "G"
    assert Defun(func_name="R")(lambda: tf.compat.v1.random_uniform([])).stateful_ops[0][1] == "RandomUniform"


def test_functions_of_a_library(session):
    double = Defun(tf.float32, func_name="Double")(lambda x: x * 2.0)
    gradient = Defun(tf.float32, tf.float32, func_name="Seven")(lambda x, dy: dy * 7.0)
    library = type(session.graph.as_graph_def().library)(function=[double.definition, gradient.definition])
    library.gradient.add(function_name="Double", gradient_func="Seven")
    made = {function.name: function for function in from_library(library)}
    assert sorted(made) == ["Double", "Seven"] and made["Double"].grad_func_name == "Seven"
    x = tf.constant(3.0)
    y = made["Double"](x)
    assert session.run([y, tf.gradients(y, x)[0]]) == [6.0, 7.0]
    library.gradient.add(function_name="Seven", gradient_func="Double")
    with pytest.raises(ValueError, match="contains cyclic gradient functions"):
        from_library(library)
    library.gradient.add(function_name="Seven", gradient_func="Gone")
    with pytest.raises(ValueError, match="FunctionDefLibrary missing 'Gone' FunctionDef"):
        from_library(library)
