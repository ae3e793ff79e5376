"""What checkpoints and SavedModels measure of themselves."""

import pytest
from tensorboard.compat.proto.summary_pb2 import HistogramProto

import reflow as tf
from reflow.train import metrics


def number(histogram: bytes) -> float:
    return HistogramProto.FromString(histogram).num


def test_reads_and_writes_are_counted(tmp_path):
    before = [
        number(f("checkpoint_v2")) for f in (metrics.GetCheckpointWriteDurations, metrics.GetCheckpointReadDurations)
    ]
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    checkpoint.read(checkpoint.write(tmp_path / "x"))
    after = [
        number(f("checkpoint_v2")) for f in (metrics.GetCheckpointWriteDurations, metrics.GetCheckpointReadDurations)
    ]
    assert [b - a for a, b in zip(before, after, strict=True)] == [1, 1]
    assert metrics.GetCheckpointSize("checkpoint_v2", metrics.checkpoint_size(str(tmp_path / "x"))) >= 1


def test_models_are_counted_with_their_fingerprints(tmp_path):
    written, read = metrics.GetWrite("2"), metrics.GetRead("2")
    tf.saved_model.save(tf.Module(), tmp_path)
    tf.saved_model.load(tmp_path)
    assert (metrics.GetWrite("2") - written, metrics.GetRead("2") - read) == (1, 1)
    assert metrics.GetFoundFingerprintOnLoad() == metrics.kFingerprintFound
    assert metrics.GetReadPathAndSingleprint() == metrics.GetWritePathAndSingleprint()
    assert '"saved_model_checksum" : ' in metrics.GetReadFingerprint()


def test_empty_arguments_are_refused():
    with pytest.raises(metrics.MetricException, match="Empty singleprint"):
        metrics.SetReadPathAndSingleprint("x", "")
    metrics.SetFoundFingerprintOnLoad("nonsense")
    assert metrics.GetFoundFingerprintOnLoad() == "" and metrics.CalculateFileSize("/no/such/file") == -1
