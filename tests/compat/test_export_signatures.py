"""Signatures of exported models, as TensorFlow 2.21 makes them."""

import os
import types

import pytest

import reflow as tf
from reflow.compat.saved_model import export_outputs, export_signatures, mode_keys

v1 = tf.compat.v1


def test_modes_by_both_words():
    modes = mode_keys.ModeKeyMap(predict=3, eval=4)
    assert (modes["infer"], modes["test"], list(modes), len(modes)) == (3, 4, ["predict", "test"], 2)
    with pytest.raises(KeyError, match="train"):
        modes["train"]
    with pytest.raises(ValueError, match="Invalid mode key: serve"):
        modes["serve"]
    with pytest.raises(ValueError, match="Multiple keys/values found for mode predict"):
        mode_keys.ModeKeyMap(predict=3, infer=1)
    assert mode_keys.is_predict("infer") and mode_keys.is_eval("eval") and not mode_keys.is_train("fit")


def test_signatures_that_the_receivers_can_compute():
    with tf.Graph().as_default():
        request, unfed = v1.placeholder(tf.string, name="request"), v1.placeholder(tf.float32, name="unfed")
        one = tf.constant([1.0])
        outputs = {
            "serving_default": export_outputs.RegressionOutput(one), "any": export_outputs.PredictOutput({"x": one}),
            "late": export_outputs.PredictOutput(unfed * 2.0), "train": export_outputs.TrainOutput(loss=one),
        }  # fmt: skip
        made = export_signatures.build_all_signature_defs(request, outputs, {"other": {"y": unfed}})
        assert sorted(made) == ["any", "other:any", "other:late", "serving_default"]
        assert made["any"].inputs["input"].name == "request:0" and made["other:late"].inputs["y"].name == "unfed:0"
        assert made["serving_default"].method_name == "tensorflow/serving/regress"
        assert "train" in export_signatures.build_all_signature_defs(request, outputs, serving_only=False)
        info = {"a": v1.saved_model.build_tensor_info(unfed * 2.0)}
        with pytest.raises(ValueError, match=r"dependency on `unfed` .* path: mul_1 \(Mul\) <- unfed \(Placeholder\)"):
            export_signatures._ensure_servable([request], info)
    with pytest.raises(ValueError, match="`export_outputs` must be a dict. Received None with type NoneType"):
        export_signatures.build_all_signature_defs(None, None)


def test_one_output_is_the_default():
    with tf.Graph().as_default():
        number = export_outputs.RegressionOutput(tf.constant([1.0]))
        assert export_signatures.get_export_outputs({"a": number}, None) == {"a": number, "serving_default": number}
        assert list(export_signatures.get_export_outputs(None, {"x": tf.constant(1.0)})) == ["serving_default"]
        assert list(export_signatures.export_outputs_for_mode("eval", None, {"x": tf.constant(1.0)})) == ["eval"]
        with pytest.raises(ValueError, match="none of them are specified as the default"):
            export_signatures.get_export_outputs({"a": number, "b": number}, None)
        with pytest.raises(TypeError, match="must be dict, received: 3"):
            export_signatures.get_export_outputs(3, None)
        with pytest.raises(TypeError, match="must be ExportOutput objects"):
            export_signatures.get_export_outputs({"a": 3}, None)


def test_folders(tmp_path, monkeypatch):
    clock = types.SimpleNamespace(time=iter([100.0, 100.5, 101.0]).__next__, sleep=lambda seconds: None)
    monkeypatch.setattr(export_signatures, "time", clock)
    first = export_signatures.get_timestamped_export_dir(tmp_path)
    assert first == os.fsencode(tmp_path / "100")
    os.mkdir(first)
    assert export_signatures.get_timestamped_export_dir(str(tmp_path)) == os.fsencode(tmp_path / "101")
    assert export_signatures.get_temp_export_dir("a/b/157") == b"a/b/temp-157"
