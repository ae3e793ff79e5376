"""Private modules: written by hand, from the tables, or made of ops."""

import types

import pytest

from reflow.drop_in import facade, private_modules


def test_generated_functions_take_positions():
    matmul = private_modules.generated_function("MatMul")
    assert matmul([[1.0]], [[2.0]], transpose_a=True).numpy() == [[2.0]]
    with pytest.raises(TypeError, match="missing a required argument: 'b'"):
        matmul([[1.0]])


def test_private_name_that_the_table_lacks(interpreter):
    assert not interpreter("""
        try:
            from tensorflow.python.eager.context import no_such_thing
        except ImportError as error:
            assert "no_such_thing" in str(error)
        else:
            raise SystemExit("found")
    """)


def test_classes_stand_in_the_dictionaries_of_their_modules():
    """Keras 2 finds the classes of type specs by `vars` of the module that a file names."""
    module = types.ModuleType("tensorflow.python.framework.tensor")
    assert vars(private_modules.make_private(module))["TensorSpec"] is facade.resolve("TensorSpec")
