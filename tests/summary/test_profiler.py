"""`tf.profiler.experimental`: what `stop` writes and does not write."""

import pytest

import reflow as tf


def profiles(folder):
    return sorted(folder.rglob("*.xplane.pb"))


def test_start_and_stop(tmp_path):
    profiler = tf.profiler.experimental
    profiler.start(str(tmp_path / "thrown away"))
    with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
        profiler.start(str(tmp_path))
    # Keras does this once, so that the first profile that counts does not begin with the set-up
    profiler.stop(save=False)
    assert not profiles(tmp_path)
    with profiler.Profile(str(tmp_path / "kept")):
        tf.constant(1.0) + 1.0
    assert len(profiles(tmp_path / "kept" / "plugins" / "profile")) == len(profiles(tmp_path)) == 1
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        profiler.stop()
