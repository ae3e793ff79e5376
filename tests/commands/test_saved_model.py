"""`reflow saved-model` prints what TensorFlow's `saved_model_cli` prints."""

import numpy as np
import pytest

import reflow as tf
from reflow.commands import saved_model
from tools.golden import version_one

MODEL = str(version_one.GOLDEN / "model")
WORDS = """\
The given SavedModel SignatureDef contains the following input(s):
  inputs['word'] tensor_info:
      dtype: DT_STRING
      shape: (-1)
      name: word:0
The given SavedModel SignatureDef contains the following output(s):
  outputs['index'] tensor_info:
      dtype: DT_INT64
      shape: (-1)
      name: hash_table_Lookup/LookupTableFindV2:0
Method name is: tensorflow/serving/predict
"""
SHOWN = {
    (): "The given SavedModel contains the following tag-sets:\n'serve'\n'train'\n",
    ("--tag_set", "serve", "--signature_def", "words"): WORDS,
    ("--tag_set", "train"): "The given SavedModel MetaGraphDef contains SignatureDefs with the following keys:\n",
}


def command(capsys, kind, *arguments, folder=MODEL):
    status = saved_model.main([kind, "--dir", folder, *arguments])
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize("arguments", SHOWN, ids=str)
def test_show(capsys, arguments):
    assert command(capsys, "show", *arguments)[:2] == (0, SHOWN[arguments])


def test_show_all_lists_functions(capsys, tmp_path):
    module = tf.Module()
    module.power = tf.function(lambda x, n: x**n)
    module.power.get_concrete_function(tf.TensorSpec([2], tf.float32, "x"), 3)
    tf.saved_model.save(module, str(tmp_path))
    _, out, _ = command(capsys, "show", "--all", folder=str(tmp_path))
    wanted = """\
Concrete Functions:
  Function Name: 'power'
    Option #1
      Callable with:
        Argument #1
          x: TensorSpec(shape=(2,), dtype=tf.float32, name='x')
        Argument #2
          DType: int
          Value: 3
"""
    assert out.endswith(wanted) and "outputs['__saved_model_init_op'] tensor_info:\n        dtype: DT_INVALID" in out


def test_scan(capsys):
    _, out, _ = command(capsys, "scan", "--tag_set", "serve", "--op_denylist", "Sum,Mul,ReadFile")
    assert out == "MetaGraph with tag set ['serve'] contains the following denylisted ops: {'Mul', 'Sum'}\n"
    _, out, _ = command(capsys, "scan")
    assert out.count("does not contain the default denylisted ops: {'PrintV2', 'ReadFile', 'WriteFile'}") == 2


def test_run(capsys, tmp_path):
    np.savez(tmp_path / "in.npz", a=np.array([[1.0, 2.0]], np.float32), b=np.zeros(1))
    given = ["--tag_set", "serve", "--inputs", f"x={tmp_path}/in.npz[a]", "--outdir", str(tmp_path)]
    _, out, _ = command(capsys, "run", *given)
    assert out == f"Result for output key y:\n[7.5]\nOutput y is saved to {tmp_path}/y.npy\n"
    assert np.load(tmp_path / "y.npy").tolist() == [7.5]
    status, _, err = command(capsys, "run", *given)
    assert status == 1 and "--overwrite" in err
    words = ["--tag_set", "serve", "--signature_def", "words"]
    assert (
        command(capsys, "run", *words, "--input_exprs", "word=['b', 'z']")[1]
        == "Result for output key index:\n[ 2 -1]\n"
    )
    for bad, why in (("word=open('x')", "not a valid python literal"), ("other=[1]", "not a valid input key")):
        status, _, err = command(capsys, "run", *words, "--input_exprs", bad)
        assert status == 1 and why in err


def test_freeze(capsys, tmp_path):
    status, out, _ = command(capsys, "freeze", "--tag_set", "serve", "--output", str(tmp_path / "f.pb"))
    assert status == 0 and "inputs ['x:0 float32'], outputs ['y:0']" in out
    proto = tf.compat.v1.GraphDef.FromString((tmp_path / "f.pb").read_bytes())
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        tf.import_graph_def(proto, name="")
        assert session.run("y:0", {"x:0": [[1.0, 2.0]]}) == 7.5


def test_what_is_not_there(capsys, tmp_path):
    for arguments in (
        ["show", "--tag_set", "x"], ["show", "--tag_set", "serve", "--signature_def", "x"],
        ["run", "--tag_set", "serve"],
    ):
        assert command(capsys, *arguments)[0] == 1
    assert command(capsys, "show", folder=str(tmp_path))[0] == 1
