"""Inputs that a command line names: values and errors recorded from TensorFlow 2.21."""

import pickle

import numpy as np
import pytest

from reflow.io.examples import Example
from reflow.saved_model import command_inputs as inputs


def test_files_and_names():
    assert inputs.preprocess_inputs_arg_string("a=/path/x.npz[v:0];b:0=C:\\Program Files\\y.npy;") == {
        "a": ("/path/x.npz", "v:0"), "b:0": ("C:\\Program Files\\y.npy", None)
    }
    for text in ("x=file[[v1]v2", "x:file", "x:np.zeros((5))"):
        with pytest.raises(RuntimeError, match=r'format is incorrect\. Please follow"<input_key>=<filename>"'):
            inputs.preprocess_inputs_arg_string(text)


def test_expressions():
    assert inputs.preprocess_input_exprs_arg_string("a=[4, 5];b='x=1'") == {"a": [4, 5], "b": "x=1"}
    assert inputs.preprocess_input_exprs_arg_string("a=np.ones(2)", safe=False)["a"].tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match=r'Expression "np\.ones\(2\)" is not a valid python literal\.'):
        inputs.preprocess_input_exprs_arg_string("a=np.ones(2)")
    with pytest.raises(RuntimeError, match='--input_exprs "a:1" format is incorrect'):
        inputs.preprocess_input_exprs_arg_string("a:1")


def test_examples():
    (text,) = inputs.preprocess_input_examples_arg_string("x=[{'s': ['a', b'b'], 'f': [1.5], 'i': [3]}]")["x"]
    feature = Example.FromString(text).features.feature
    assert list(feature["s"].bytes_list.value) == [b"a", b"b"] and list(feature["f"].float_list.value) == [1.5]
    assert list(feature["i"].int64_list.value) == [3]
    for given, words in (
        ("x={'a': [1]}", "tf.Example input must be a list of dictionaries"), ("x=[{'a': 1}]", "must be a list, but a"),
        ("x=[{'a': [{}]}]", "Type <class 'dict'> for value {} is not supported"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            inputs.preprocess_input_examples_arg_string(given)


def test_arrays(tmp_path):
    np.save(tmp_path / "a.npy", np.array([1, 2]))
    np.savez(tmp_path / "b.npz", a=np.ones(2), b=np.zeros(1))
    np.savez(tmp_path / "c.npz", z=np.ones(1))
    (tmp_path / "d.pkl").write_bytes(pickle.dumps({"p": np.arange(2)}))

    def load(text, *more, **options):
        more = more or ("", "")
        found = inputs.load_inputs_from_input_arg_string(text.replace("@", f"{tmp_path}/"), *more, **options)
        return {key: value.tolist() if hasattr(value, "tolist") else value for key, value in found.items()}

    assert load("x=@a.npy;y=@a.npy[ignored]") == {"x": [1, 2], "y": [1, 2]}
    assert load("x=@b.npz[a];y=@b.npz[b];z=@c.npz") == {"x": [1.0, 1.0], "y": [0.0], "z": [1.0]}
    assert load("x=@d.pkl[p]") == {"x": [0, 1]}
    assert load("x=@a.npy", "x=[5];z=1", "") == {"x": [5], "z": 1}
    assert list(load("x=@a.npy", "x=[5]", "x=[{'a': [1]}]")) == ["x"]
    for text, words in (
        ("x=@b.npz", "contains more than one ndarrays"), ("x=@b.npz[q]", 'does not contain variable with name "q"'),
        ("x=@d.pkl[q]", 'does not contain variable with name "q"'),
    ):
        with pytest.raises(RuntimeError, match=words):
            load(text)
    with pytest.raises(ValueError, match="allow_pickle"):
        load("x=@d.pkl", allow_pickle=False)
