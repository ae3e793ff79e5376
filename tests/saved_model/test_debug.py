"""Models without asserts and prints, and the lines of the program that nodes come from."""

from tensorboard.compat.proto import graph_debug_info_pb2

import reflow as tf


def watched():
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def call(x):
        tf.debugging.assert_less(x, 10.0)
        tf.print("seen", x)
        return tf.debugging.check_numerics(x * 2.0, "bad")

    module = tf.Module()
    module.call = call
    return module


def test_asserts_prints_and_checks_are_stripped(tmp_path, capfd):
    tf.saved_model.save(watched(), str(tmp_path), options=tf.saved_model.SaveOptions(experimental_debug_stripper=True))
    assert tf.saved_model.load(str(tmp_path)).call([100.0, float("inf")]).numpy().tolist() == [200.0, float("inf")]
    assert "seen" not in capfd.readouterr().err


def test_lines_of_the_program(tmp_path):
    tf.saved_model.save(watched(), str(tmp_path / "with"), options=tf.saved_model.SaveOptions(save_debug_info=True))
    tf.saved_model.save(watched(), str(tmp_path / "without"))
    content = (tmp_path / "with" / "debug" / "saved_model_debug_info.pb").read_bytes()
    info = graph_debug_info_pb2.GraphDebugInfo.FromString(content)
    (name,) = [name for name in info.name_to_trace_id if name.startswith("mul@")]
    (frame,) = [info.frames_by_id[i] for i in info.traces_by_id[info.name_to_trace_id[name]].frame_id]
    assert info.files[frame.file_index] == __file__ and frame.func == "call"
    assert frame.code == 'return tf.debugging.check_numerics(x * 2.0, "bad")'
    assert not (tmp_path / "without" / "debug").exists()
