"""Contexts of a thread that saves."""

from reflow.drop_in.python.checkpoint import checkpoint_context


def test_contexts():
    assert not checkpoint_context.in_preemption_save_context()
    with checkpoint_context.preemption_save_context():
        assert checkpoint_context.in_preemption_save_context() and not checkpoint_context.in_async_metrics_context()
    with checkpoint_context.async_metrics_context():
        assert checkpoint_context.in_async_metrics_context() and not checkpoint_context.in_preemption_save_context()
    assert not checkpoint_context.in_async_metrics_context()
