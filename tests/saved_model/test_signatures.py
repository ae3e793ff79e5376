"""Signatures: which functions are served, and in which order they take arguments."""

import pytest

import reflow as tf
from reflow.saved_model import structures
from tests.saved_model.models import Scale, Signed, read


def test_signatures(tmp_path):
    module = Scale()
    spec = tf.TensorSpec([None], tf.float32)
    concrete = module.mix.get_concrete_function((spec, {"b": spec}))
    tf.saved_model.save(module, tmp_path, signatures={"call": module.__call__, "shift": module.shift})
    loaded = tf.saved_model.load(tmp_path)
    call = loaded.signatures["call"]
    assert call(x=tf.constant([1.0]))["output_0"].numpy().tolist() == [3.0]
    assert call([1.0])["output_0"].numpy().tolist() == [3.0]
    assert sorted(loaded.signatures["shift"](value=[1.0, 1.0])) == ["minus", "plus"]
    assert call.structured_input_signature == ((), {"x": tf.TensorSpec([None], tf.float32, "x")})
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        call(y=[1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float tensor but is a int32 tensor"):
        call(x=tf.constant([1]))
    with pytest.raises(ValueError, match="non-Tensor value None"):
        tf.saved_model.save(module, tmp_path, signatures=concrete)
    with pytest.raises(ValueError, match="Expected a TensorFlow function"):
        tf.saved_model.save(module, tmp_path, signatures=module.mix)
    with pytest.raises(KeyError, match="reserved"):
        tf.saved_model.save(module, tmp_path, signatures={"__saved_model_init_op": module.__call__})


def test_the_only_function_is_served(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: x + 1.0, input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, tmp_path)
    assert list(tf.saved_model.load(tmp_path).signatures) == ["serving_default"]
    module.g = tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, tmp_path)
    assert list(tf.saved_model.load(tmp_path).signatures) == []


def test_signatures_take_their_arguments_in_the_order_of_names(tmp_path):
    """Readers flatten keywords sorted by name: in another order TensorFlow would swap the tensors."""
    module = Signed()
    tf.saved_model.save(module, tmp_path, {"named": module.named, "many": module.many})
    saved = read(tmp_path).object_graph_def.concrete_functions
    wrapper = next(f for name, f in saved.items() if "signature_wrapper_named" in name)
    keywords = structures.decode(wrapper.canonicalized_input_signature)[1]
    assert [(k, v.name, v.shape.as_list()) for k, v in keywords.items()] == [
        ("alpha", "alpha", [2]), ("zeta", "zeta", [])
    ]
    loaded = tf.saved_model.load(tmp_path)
    named, many = loaded.signatures["named"], loaded.signatures["many"]
    assert [t.op.name for t in named.inputs] == ["alpha", "zeta"]
    out = named(zeta=tf.constant(3.0), alpha=tf.constant([1.0, 2.0]))
    assert out["z"].numpy() == 6.0 and out["a"].numpy().tolist() == [2.0, 3.0]
    assert list(many.structured_input_signature[1]) == ["xs_0", "xs_1"]
    assert many(xs_0=tf.constant(2.0), xs_1=tf.constant([1.0, 2.0]))["output_0"].numpy().tolist() == [2.0, 4.0]


def test_results_made_of_several_tensors(tmp_path):
    """The SignatureDef describes them as composites; a loaded signature returns them whole."""
    module = tf.Module()
    text = tf.TensorSpec([None], tf.string, "text")
    module.f = tf.function(lambda text: {"words": tf.strings.split(text), "text": text}, input_signature=[text])
    tf.saved_model.save(module, tmp_path)
    outputs = read(tmp_path).signature_def["serving_default"].outputs
    call, kinds = "StatefulPartitionedCall", [tf.string.as_datatype_enum, tf.int64.as_datatype_enum]
    assert outputs["text"].name == f"{call}:0" and not outputs["text"].HasField("composite_tensor")
    parts = outputs["words"].composite_tensor.components
    assert [(p.name, p.dtype) for p in parts] == [(f"{call}:1", kinds[0]), (f"{call}:2", kinds[1])]
    signature = tf.saved_model.load(tmp_path).signatures["serving_default"]
    assert signature.structured_outputs == {"text": text, "words": tf.RaggedTensorSpec([None, None], tf.string)}
    assert "['text', TensorSpec(shape=(None,), dtype=tf.string, name='text')]" in str(signature)
    assert signature(text=tf.constant(["a b", "c"]))["words"].to_list() == [[b"a", b"b"], [b"c"]]
