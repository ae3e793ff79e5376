"""Parameters of functions and the types that an input signature gives them."""

import reflow as tf
from reflow.drop_in.core.function import trace_type
from reflow.drop_in.core.function.polymorphism import function_type as types

VECTOR = tf.TensorSpec([None])


def test_a_signature_constrains_the_first_parameters_and_defaults_the_rest():
    found, defaults = types.of_callable(lambda x, *, scale=2: x)
    assert defaults == {"scale": 2} and types.to_input_signature(found) is None
    constrained = types.add_type_constraints(found, [VECTOR], defaults)
    expected = types.FunctionType(
        [
            types.Parameter("x", types.POSITIONAL_OR_KEYWORD, False, VECTOR),
            types.Parameter("scale", types.KEYWORD_ONLY, True, trace_type.from_value(2)),
        ]
    )
    assert constrained == expected and types.to_input_signature(constrained) == (VECTOR,)
    assert types.to_fullargspec(constrained, defaults)[:2] == (["x"], None)
    assert constrained.bind_with_defaults((1,), {}, defaults).arguments == {"x": 1, "scale": 2}


def test_names_of_arguments():
    assert types.sanitize_arg_name("x.y") == "x_y" and types.sanitize_arg_name("3") == "arg_3"
