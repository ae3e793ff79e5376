"""`tensorflow.python.eager.executor`: what runs eager ops. They are done when they return, so there is nothing to wait for."""

from reflow.api.framework.internal import Context

Executor = Context.Executor


def new_executor(enable_async, enable_streaming_enqueue=True, in_flight_nodes_limit=0) -> Executor:
    """An executor; it runs each op at once, which asynchronous ones may do too."""
    return Executor()
