"""What a dataset remembers of how it was made, and what cannot be made again."""

import pytest

import reflow as tf
from reflow.data.engine import recipes
from tests.data.engine.datasets import value_of

D = tf.data.Dataset


def test_the_op_its_operands_and_all_attributes():
    dataset = D.range(4).batch(2)
    recipe = value_of(dataset).recipe
    assert recipe.op == "BatchDatasetV2" and recipe.operands[0].recipe.op == "RangeDataset"
    assert int(recipe.operands[1]) == 2 and recipe.attrs["output_types"] == [tf.int64]


def test_a_stage_that_was_changed_has_the_recipe_of_its_origin():
    value = value_of(D.range(4).map(lambda x: x))
    assert value.changed(hidden=True).recipe is value.recipe


@pytest.mark.parametrize("what", ["Handle", "dataset of unknown origin"])
def test_what_only_this_process_has(what):
    if what == "Handle":
        variable = tf.Variable(1, dtype=tf.int64)
        dataset = D.range(2).map(lambda x: x + variable)
    else:
        dataset = D.from_generator(lambda: iter([1]), output_signature=tf.TensorSpec([], tf.int32)).batch(1)
    with pytest.raises(tf.errors.UnimplementedError, match=f"holds a {what} cannot be sent to another process"):
        recipes.graph_of(value_of(dataset))
