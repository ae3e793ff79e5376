"""Graphs of a SavedModel by their tags."""

import pytest

import reflow as tf
from reflow.drop_in.python.tools import saved_model_utils


def test_graphs_by_tags(tmp_path):
    model = tf.Module()
    model.v = tf.Variable(1.0)
    tf.saved_model.save(model, str(tmp_path))
    assert saved_model_utils.get_saved_model_tag_sets(str(tmp_path)) == [["serve"]]
    assert list(saved_model_utils.get_meta_graph_def(str(tmp_path), "serve").meta_info_def.tags) == ["serve"]
    with pytest.raises(RuntimeError, match="associated with tag-set a,b"):
        saved_model_utils.get_meta_graph_def(str(tmp_path), "a,b")
