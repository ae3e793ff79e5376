"""A profile that a client asks a server for: where it is written, and what is refused."""

import socket
import threading

import pytest

import reflow as tf
from reflow.summary import profiler_service


@pytest.fixture
def address():
    profiler_service.stop()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    tf.profiler.experimental.server.start(port)
    yield f"grpc://127.0.0.1:{port}"
    profiler_service.stop()


def test_a_profile_on_demand(address, tmp_path):
    client, done = tf.profiler.experimental.client, threading.Event()
    work = tf.function(lambda x: tf.matmul(x, x) * 0.01, jit_compile=True)

    def train():
        x = tf.ones([50, 50])
        while not done.is_set():
            x = work(x)

    thread = threading.Thread(target=train)
    thread.start()
    try:
        client.trace(address, str(tmp_path), 50, options={"host_tracer_level": 3})
    finally:
        done.set()
        thread.join()
    (file,) = (tmp_path / "plugins" / "profile").glob("*/*.xplane.pb")
    assert file.stat().st_size > 100
    with pytest.raises(RuntimeError, match="runs already"):
        tf.profiler.experimental.server.start(1)
    with pytest.raises(RuntimeError, match="UNIMPLEMENTED"):
        client.monitor(address, 10)


def test_nobody_answers(tmp_path):
    with pytest.raises(tf.errors.InvalidArgumentError, match="duration_ms must be greater than zero"):
        tf.profiler.experimental.client.trace("localhost:1", str(tmp_path), 0)
    with pytest.raises(RuntimeError, match="No trace event was collected"):
        tf.profiler.experimental.client.trace("grpc://127.0.0.1:1", str(tmp_path), 10, num_tracing_attempts=2)
