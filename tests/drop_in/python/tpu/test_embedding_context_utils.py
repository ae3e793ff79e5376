"""Blocks of steps one after the other."""

from reflow.drop_in.python.tpu import embedding_context_utils as contexts


def test_the_block_is_undone():
    with contexts.SequentialEmbeddingContext():
        assert not contexts.embedding_pipelining_state.enabled
    assert contexts.embedding_pipelining_state.enabled
