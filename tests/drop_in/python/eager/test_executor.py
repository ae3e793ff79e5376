"""What runs eager ops."""

from reflow.drop_in.python.eager import executor


def test_ops_are_done_when_they_return():
    one = executor.new_executor(enable_async=True)
    one.wait()
    assert not one.is_async()
