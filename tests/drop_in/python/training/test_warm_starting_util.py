"""Warm starts: partitioned variables, other vocabularies, checkpoints of objects. The values are TensorFlow 2.21's."""

import pytest

import reflow as tf
from reflow.drop_in.python.training import warm_starting_util as util

v1 = tf.compat.v1
HALVES = {"partitioner": lambda shape, dtype: [2, 1]}


@pytest.fixture
def vocabularies(tmp_path):
    files = {"old": "apple banana guava orange", "new": "orange guava banana apple raspberry"}
    for name, words in files.items():
        (tmp_path / name).write_text("\n".join(words.split()))
    return str(tmp_path / "new"), str(tmp_path / "old")


def checkpoint(tmp_path, **options):
    with tf.Graph().as_default(), v1.Session() as session:
        shape = {"shape": [4, 1]} if options else {}
        v1.get_variable("w", initializer=[[0.5], [1.0], [1.5], [2.0]], **shape, **options)
        session.run(v1.global_variables_initializer())
        return v1.train.Saver().save(session, str(tmp_path / "model"))


@pytest.mark.parametrize("before", [{}, HALVES])
@pytest.mark.parametrize("now", [{}, HALVES])
def test_a_variable_in_parts_or_not(tmp_path, before, now):
    path = checkpoint(tmp_path, **before)
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", [4, 1], initializer=v1.zeros_initializer(), **now)
        name, variable = util._get_var_info(w)
        assert name == "w"
        v1.train.init_from_checkpoint(path, {name: variable})
        session.run(v1.global_variables_initializer())
        assert session.run(tf.convert_to_tensor(w)).tolist() == [[0.5], [1.0], [1.5], [2.0]]


@pytest.mark.parametrize("now", [{}, HALVES])
@pytest.mark.parametrize("size, values", [(-1, [2.0, 1.5, 1.0, 0.5]), (2, [9.0, 9.0, 1.0, 0.5])])
def test_words_keep_their_rows_and_others_are_new(tmp_path, vocabularies, now, size, values):
    path, (new, old) = checkpoint(tmp_path), vocabularies
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", [6, 1], initializer=v1.zeros_initializer(), **now)
        nines = (lambda shape: tf.fill(shape, 9.0)) if size == 2 else None
        util._warm_start_var_with_vocab(w, new, 5, path, old, size, current_oov_buckets=1, initializer=nines)
        session.run(v1.global_variables_initializer())
        rest = [9.0, 9.0] if size == 2 else [0.0, 0.0]
        assert session.run(tf.convert_to_tensor(w)).ravel().tolist() == values + rest


def test_what_is_no_variable_or_not_used(tmp_path):
    path = checkpoint(tmp_path)
    with tf.Graph().as_default():
        w = v1.get_variable("w", [4, 1], **HALVES)
        with pytest.raises(TypeError, match="var MUST be one of the following"):
            util._warm_start_var_with_vocab([w], "a", 5, "b", "c")
        with pytest.raises(ValueError, match="Must provide all of"):
            util._warm_start_var_with_vocab(w, "", 5, "b", "c")
        with pytest.raises(ValueError, match="in var_name_to_prev_var_name that were not used: {'y'}"):
            v1.train.warm_start(path, var_name_to_prev_var_name={"y": "z"})
        with pytest.raises(ValueError, match="in var_name_to_vocab_info that were not used: {'y'}"):
            v1.train.warm_start(path, var_name_to_vocab_info={"y": v1.train.VocabInfo("", 1, 0, "")})
        with pytest.raises(ValueError, match="it must be all `Variable` or all `str`"):
            util._get_grouped_variables(["w", w])
        with pytest.raises(ValueError, match="must be a `list` or `str`"):
            util._get_grouped_variables(3)


def test_patterns_see_the_output_number():
    with tf.Graph().as_default():
        for name in ("v", "v/Momentum", "w", "w/Momentum"):
            v1.get_variable(name, [2])
        assert list(util._get_grouped_variables(["v", "w[^/]"])) == ["v", "v/Momentum", "w"]
        assert list(util._get_grouped_variables(None)) == ["v", "v/Momentum", "w", "w/Momentum"]
        with pytest.raises(TypeError, match="violates the constraints"):
            util._infer_var_name(v1.global_variables())


def test_a_checkpoint_of_objects(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", initializer=3.0)
        session.run(w.initializer)
        path = v1.train.Checkpoint(it=w).save(str(tmp_path / "x"), session=session)
    assert util._get_object_checkpoint_renames(path, ["w"]) == {"w": "it/.ATTRIBUTES/VARIABLE_VALUE"}
    with tf.Graph().as_default(), v1.Session() as session:
        w = v1.get_variable("w", initializer=0.0)
        v1.train.warm_start(path)
        session.run(w.initializer)
        assert session.run(w) == 3.0
        v1.get_variable("other", initializer=0.0)
        with pytest.raises(ValueError, match="The following variables were missing: {'other'}"):
            v1.train.warm_start(path)
