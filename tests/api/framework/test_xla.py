"""Programs in StableHLO as ops: of JAX functions, alone, in functions, in files; hostile ones."""

import subprocess
import sys
import textwrap

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export
from jax.extend.mlir.dialects import stablehlo

import reflow as tf

call_module = tf.__internal__.xla.call_module


def program(function, *shapes, platforms=None):
    """A JAX function as a program. A shape is text, in which letters stand for open sizes."""
    scope = export.SymbolicScope()
    specs = [jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope), np.float32) for s in shapes]
    return export.export(jax.jit(function), platforms=platforms)(*specs)


def called(exported, *args):
    shapes = [[d if isinstance(d, int) else None for d in aval.shape] for aval in exported.out_avals]
    return call_module(
        args, version=exported.calling_convention_version, module=exported.mlir_module_serialized,
        Tout=[aval.dtype for aval in exported.out_avals], Sout=shapes,
        platforms=[platform.upper() for platform in exported.platforms],
    )


def wave(x, y):
    return jnp.sin(x) @ y, x.reshape(-1), jnp.concatenate([x, x])


@pytest.mark.parametrize("platforms", [None, ("cpu", "cuda")])
def test_open_shapes(platforms):
    exported = program(wave, "b, 3", "3, 2", platforms=platforms)
    function = tf.function(
        lambda x, y: called(exported, x, y), input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([3, 2])]
    )
    results = function.get_concrete_function().structured_outputs
    assert [t.shape.as_list() for t in results] == [[None, 2], [None], [None, 3]]
    for size in (2, 4, 4, 2):
        x, y = np.random.default_rng(size).normal(size=(2, size, 3)).astype(np.float32)[0], np.ones([3, 2], np.float32)
        for found in (called(exported, x, y), function(x, y)):
            for ours, wanted in zip(found, wave(x, y), strict=True):
                np.testing.assert_allclose(ours, wanted, rtol=1e-6)


def test_wide_types_and_no_arguments():
    with jax.enable_x64(True):
        exported = export.export(jax.jit(lambda: (jnp.arange(3), jnp.float64(0.5), jnp.array([True]))))()
    numbers, half, truth = called(exported)
    assert (numbers.dtype, half.dtype, truth.dtype) == (tf.int64, tf.float64, tf.bool)
    assert numbers.numpy().tolist() == [0, 1, 2] and half.numpy() == 0.5 and truth.numpy().tolist() == [True]


def test_without_a_gradient():
    exported = program(jnp.sin, "3")
    x = tf.ones([3])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = called(exported, x)[0]
    with pytest.raises(LookupError, match="No gradient defined for operation.*XlaCallModule"):
        tape.gradient(y, x)


def test_what_is_refused():
    exported = program(wave, "b, 3", "3, 2")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"cannot take tensors of shapes \[\(4, 4\), \(3, 2\)\]"):
        called(exported, tf.ones([4, 4]), tf.ones([3, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Received tensors of shapes"):
        called(exported, tf.ones([4, 3]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="version 9 must have non-empty platforms"):
        call_module([], version=9, module=b"", Tout=[tf.float32], Sout=[[]])
    facts = {"Tout": [tf.float32], "Sout": [[]], "platforms": ["CPU"]}
    with pytest.raises(tf.errors.InvalidArgumentError, match="no program in StableHLO"):
        call_module([], version=9, module=b"module {", **facts)
    for version in (3, 11):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"version {version} is not supported"):
            call_module([], version=version, module=b"", **facts)


CALLER = """
module {
  func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
    %y = stablehlo.custom_call @NAME(%x) : (tensor<3xf32>) -> tensor<3xf32>
    return %y : tensor<3xf32>
  }
}
"""


def test_platforms():
    exported = program(jnp.sin, "3")
    facts = {"module": exported.mlir_module_serialized, "version": 9, "Tout": [tf.float32], "Sout": [[3]]}
    with pytest.raises(tf.errors.NotFoundError, match=r"platform CPU is not among .* required by the module: \[CUDA\]"):
        call_module([tf.ones([3])], platforms=["CUDA"], **facts)
    unchecked = call_module([tf.ones([3])], platforms=["CUDA"], disabled_checks=["platform"], **facts)
    np.testing.assert_allclose(unchecked[0], np.sin(np.ones(3)), rtol=1e-6)


@pytest.mark.parametrize("name", ["xla_ffi_python_cpu_callback", "mhlo.erf"])
def test_a_file_may_not_call_any_function_of_the_process(name):
    """JAX's callbacks are addresses in memory, for example."""
    text = CALLER.replace("NAME", name)
    module = stablehlo.serialize_portable_artifact_str(text, stablehlo.get_minimum_version())
    with tf.Graph().as_default() as graph:
        call_module([tf.ones([3])], version=9, module=module, Tout=[tf.float32], Sout=[[3]], platforms=["CPU"])
    proto = graph.as_graph_def()
    with tf.Graph().as_default():
        if name == "mhlo.erf":
            tf.import_graph_def(proto)
            return
        with pytest.raises(tf.errors.PermissionDeniedError, match="XlaCallModule"):
            tf.import_graph_def(proto)


def test_jax2tf(tmp_path):
    """JAX's own converter, with gradients, and a SavedModel of what it makes."""
    (tmp_path / "prog.py").write_text(textwrap.dedent("""
        import jax.numpy as jnp
        import tensorflow as tf
        from jax.experimental import jax2tf

        layer = jax2tf.convert(lambda x, w: jnp.tanh(x @ w), polymorphic_shapes=["(b, 3)", "(3, 2)"])
        module = tf.Module()
        module.w = tf.Variable(tf.ones([3, 2]))
        module.f = tf.function(
            lambda x: layer(x, module.w), input_signature=[tf.TensorSpec([None, 3])], autograph=False
        )
        tf.saved_model.save(module, "model")
        for model in (module, tf.saved_model.load("model")):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(model.f(tf.ones([4, 3])))
            print(round(float(y), 4), *tape.gradient(y, model.w).numpy().ravel().round(4))
    """))
    done = subprocess.run(
        [sys.executable, "-m", "reflow", "prog.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == lines[1] == "7.9604" + 6 * " 0.0395"
