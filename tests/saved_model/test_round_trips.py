"""Objects and functions that are saved, loaded, and saved again.

Gaps in lists, variables as arguments, files that tables read.
"""

import inspect

import pytest

import reflow as tf

AutoTrackable = tf.__internal__.tracking.AutoTrackable
number = tf.TensorSpec([], tf.float32)


def loaded(root, folder, **options):
    for name in ("first", "second"):
        tf.saved_model.save(root, folder / name, **options)
        root = tf.saved_model.load(folder / name)
    return root


def test_elements_that_are_no_objects_are_none(tmp_path):
    root = AutoTrackable()
    root.list = [tf.Variable(1.0), 5, tf.Variable(3.0)]
    root.tuple = (tf.Variable(1.0), 5, tf.Variable(3.0))
    again = loaded(root, tmp_path)
    for three in (again.list, again.tuple):
        assert len(three) == 3 and three[1] is None and float(three[2]) == 3.0


def test_a_callable_of_callables(tmp_path):
    root = AutoTrackable()
    root.__call__ = AutoTrackable()
    root.__call__.__call__ = tf.function(lambda x: x * 3.0, input_signature=[number])
    assert float(loaded(root, tmp_path)(tf.constant(2.0))) == 6.0


def test_variables_as_arguments(tmp_path):
    root, own = AutoTrackable(), tf.Variable(2.0)
    root.add = tf.function(lambda v, by=1.0: v.assign_add(by))
    root.add(own)
    root.exact = root.add.get_concrete_function(own)
    again, other = loaded(root, tmp_path), tf.Variable(10.0)
    assert float(again.add(other)) == 11.0 and float(again.exact(other)) == 12.0 and float(other) == 12.0
    with pytest.raises(ValueError, match="Could not find matching"):
        again.add(tf.Variable([1.0, 2.0]))


def test_structures_as_arguments_of_a_concrete_function(tmp_path):
    root = AutoTrackable()
    x, y = tf.constant(10), tf.constant(11)
    root.f = tf.function(
        lambda s, twice: s[1][0]["a"] * (2 if twice else 1) + s[1][1]
    ).get_concrete_function([6, ({"a": x}, y)], True)
    again = loaded(root, tmp_path)
    assert int(again.f([6, ({"a": y}, x)], True)) == 32
    with pytest.raises(TypeError):
        again.f([7, ({"a": x}, y)], True)


def test_parameters_stay(tmp_path):
    root = AutoTrackable()
    root.f = tf.function(lambda a, b=2.0: a * b)
    root.f(tf.constant(1.0))
    again = loaded(root, tmp_path)
    assert inspect.getfullargspec(again.f).args == ["a", "b"]
    tf.config.run_functions_eagerly(True)
    try:
        assert float(again.f(tf.constant(4.0))) == 8.0
    finally:
        tf.config.run_functions_eagerly(False)


def test_a_property_makes_its_function_once(tmp_path):
    class Counting(AutoTrackable):
        made = 0

        @property
        def function(self):
            type(self).made += 1
            return tf.function(lambda made=self.made: made, input_signature=[])

    tf.saved_model.save(Counting(), tmp_path)
    assert Counting.made == 1


def test_tables_take_their_files_along(tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("a\nb\n")
    index, root = tf.lookup.TextFileIndex, tf.Module()
    tables = [
        tf.lookup.StaticHashTable(
            tf.lookup.TextFileInitializer(str(words), tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER), -1
        )
        for _ in range(2)
    ]
    root.tables = tables
    root.find = tf.function(lambda x: [t.lookup(x) for t in tables], input_signature=[tf.TensorSpec([None], tf.string)])
    again = loaded(root, tmp_path)
    words.unlink()
    assert [t.numpy().tolist() for t in again.find(tf.constant(["b", "z"]))] == [[1, -1], [1, -1]]
    assert [file.name for file in (tmp_path / "second" / "assets").iterdir()] == ["words.txt"]


def test_partial_loads_and_aliases(tmp_path):
    root, mine = tf.Module(), tf.Module()
    root.inner = tf.Module()
    root.inner.v = tf.Variable(1.0)
    root.f = tf.function(
        lambda x: x, input_signature=[number], experimental_attributes={"disable_summaries_at_runtime": ["x", True]}
    )
    root.function_aliases = tf.Variable(1.0)
    tf.saved_model.save(root, tmp_path, options=tf.saved_model.SaveOptions(function_aliases={"alias": root.f}))
    tf.__internal__.saved_model.load_partial(tmp_path, {"root": mine})
    assert float(mine.inner.v) == 1.0
    with pytest.raises(ValueError, match="Could not load with experimental_load_function_aliases"):
        tf.saved_model.load(tmp_path, options=tf.saved_model.LoadOptions(experimental_load_function_aliases=True))
