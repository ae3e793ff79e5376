"""`reflow/drop_in/python/tools/saved_model_cli.py`: the commands, with their options as flags of `absl`."""

import re

import pytest
from absl import flags

import reflow as tf
from reflow.drop_in.python.tools import saved_model_cli as cli

OPTIONS = (
    "dir", "all", "tag_set", "signature_def", "list_ops", "inputs", "input_exprs", "input_examples", "outdir",
    "overwrite", "op_denylist",
)  # fmt: skip


@pytest.fixture
def command(tmp_path, capsys):
    """Run a command on a model; what it prints, or raises."""
    module = tf.Module()
    module.v = tf.Variable(1.0)
    module.f = tf.function(lambda x: x + module.v, input_signature=[tf.TensorSpec([2], tf.float32, "x")])
    tf.saved_model.save(module, str(tmp_path / "model"), signatures=module.f)
    capsys.readouterr()
    saved = {name: flags.FLAGS[name].value for name in OPTIONS}

    def run(name, *arguments):
        arguments = [re.sub("^@", f"{tmp_path}/", argument) for argument in arguments]
        cli.create_parser().parse_args([name, "--dir", str(tmp_path / "model"), *arguments]).func()
        return capsys.readouterr().out.replace(str(tmp_path), "@")

    yield run
    for name, value in saved.items():
        setattr(flags.FLAGS, name, value)


def test_tag_sets(command):
    shown = "The given SavedModel contains the following tag-sets:\n'serve'\n"
    assert command("show") == shown
    assert command("show", "--list_ops") == f"--list_ops must be paired with a tag-set or with --all.\n{shown}"


def test_signatures(command):
    keys = command("show", "--tag_set", "serve")
    assert keys.endswith('keys:\nSignatureDef key: "__saved_model_init_op"\nSignatureDef key: "serving_default"\n')
    shown = command("show", "--tag_set", "serve", "--signature_def", "serving_default")
    assert "  inputs['x'] tensor_info:\n      dtype: DT_FLOAT\n      shape: (2)\n" in shown
    with pytest.raises(RuntimeError, match=r"Please use one of the following tag-sets: \['serve'\]"):
        command("show", "--tag_set", "other")
    with pytest.raises(ValueError, match='Could not find signature "other"'):
        command("show", "--tag_set", "serve", "--signature_def", "other")


def test_everything(command):
    shown = command("show", "--all")
    assert "signature_def['serving_default']:" in shown and "contains the following ops: {'" in shown
    assert shown.endswith("        Argument #1\n          x: TensorSpec(shape=(2,), dtype=tf.float32, name='x')\n")


def test_run(command):
    given = ["--tag_set", "serve", "--signature_def", "serving_default", "--input_exprs", "x=[1.0, 2.0]"]
    result = "Result for output key output_0:\n[2. 3.]\n"
    assert command("run", *given) == result
    written = [*given, "--outdir", "@out"]
    assert command("run", *written) == f"{result}Output output_0 is saved to @/out/output_0.npy\n"
    with pytest.raises(RuntimeError, match=r'output_0\.npy already exists\. Add "--overwrite"'):
        command("run", *written)
    assert command("run", *written, "--overwrite").endswith("Output output_0 is saved to @/out/output_0.npy\n")
    with pytest.raises(ValueError, match='"y" is not a valid input key. Please choose from "x", or use --show option'):
        command("run", *given[:-1], "y=1")
    with pytest.raises(AttributeError, match="At least one of --inputs, --input_exprs or --input_examples"):
        command("run", *given[:-1], "")


def test_scan(command):
    assert command("scan").endswith("default denylisted ops: {'PrintV2', 'ReadFile', 'WriteFile'}\n")
    found = command("scan", "--tag_set", "serve", "--op_denylist", "AddV2, Foo")
    assert found == "MetaGraph with tag set ['serve'] contains the following denylisted ops: {'AddV2'}\n"
