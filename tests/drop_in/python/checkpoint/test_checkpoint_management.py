"""Names of the files beside a checkpoint."""

from reflow.drop_in.python.checkpoint import checkpoint_management


def test_files():
    names = ["a-1", "/x/a-?????-of-00003", "a-00001-of-00003"]
    assert [checkpoint_management.meta_graph_filename(name) for name in names] == ["a-1.meta", "/x/a.meta", "a.meta"]
    assert checkpoint_management.meta_graph_filename("a", "m") == "a.m"
    assert not checkpoint_management.checkpoint_exists_internal("/no/such/model.ckpt")
