"""`tf.data.experimental.distributed_save`: elements that workers make and the dispatcher writes."""

import pytest

import reflow as tf

S = tf.data.experimental.service
D = tf.data.Dataset


@pytest.fixture
def target():
    dispatcher = S.DispatchServer()
    workers = [S.WorkerServer(S.WorkerConfig(dispatcher._address)) for _ in range(2)]
    yield dispatcher.target
    for server in (*workers, dispatcher):
        server.stop()


@pytest.mark.parametrize("compression", ["AUTO", "GZIP"])
def test_every_element_is_saved_once(target, tmp_path, compression):
    folder = tmp_path / "squares"
    tf.data.experimental.distributed_save(D.range(10).map(lambda x: {"x": x * x}), folder, target, compression)
    loaded = D.load(folder, compression=None if compression == "AUTO" else compression, wait=True)
    assert sorted(int(e["x"]) for e in loaded) == [x * x for x in range(10)]
    with pytest.raises(tf.errors.AlreadyExistsError):
        tf.data.experimental.distributed_save(D.range(2), folder, target)


def test_who_loads_hears_of_a_failure(target, tmp_path):
    folder = tmp_path / "failing"
    tf.data.experimental.distributed_save(
        D.range(3).map(lambda x: tf.debugging.check_numerics(1 / (x - 1), "no")), folder, target
    )
    with pytest.raises(tf.errors.InternalError, match="failed: InvalidArgumentError"):
        list(D.load(folder, element_spec=tf.TensorSpec([], tf.float64), wait=True))
    with pytest.raises(ValueError, match="compression"):
        tf.data.experimental.distributed_save(D.range(2), tmp_path / "other", target, "ZIP")
