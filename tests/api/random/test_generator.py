"""`reflow/api/random/generator.py`: what TensorFlow prints for the expressions of `generator.txt`."""

from tests.expressions import session

test_expressions = session(__file__)


def test_its_state_is_saved(tmp_path):
    import reflow as tf

    generator = tf.random.Generator.from_seed(5)
    path = tf.train.Checkpoint(g=generator).save(tmp_path / "c")
    assert "g/_state_var/.ATTRIBUTES/VARIABLE_VALUE" in [name for name, _ in tf.train.list_variables(path)]
    drawn = generator.normal([2]).numpy()
    tf.train.Checkpoint(g=generator).restore(path)
    assert generator.normal([2]).numpy().tolist() == drawn.tolist()
