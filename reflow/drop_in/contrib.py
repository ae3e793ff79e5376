"""`tf.contrib`: the parts that have a plain successor; for the rest, an error that names the modern form."""

from __future__ import annotations

import importlib.util
import types

from reflow.api.array import arrange
from reflow.api.math import reduce as reductions
from reflow.api.math import unary
from reflow.api.nn import activations
from reflow.api.nn import losses as nn_losses
from reflow.compat.initializers import GlorotNormal, GlorotUniform, VarianceScaling
from reflow.compat.layers import core, windows
from reflow.compat.rnn import cells, loops, wrappers
from reflow.compat.seq2seq import attention, beam_search, decoders, helpers, legacy
from reflow.drop_in import contrib_eager, contrib_parts, contrib_predictor
from reflow.drop_in.install import resolve

#: part of `tf.contrib` -> name in it -> what it is today, below `tf`
SUCCESSORS = {
    "contrib.data": {
        "AUTOTUNE": "data.AUTOTUNE",
        "map_and_batch": "data.experimental.map_and_batch",
        "parallel_interleave": "data.experimental.parallel_interleave",
        "prefetch_to_device": "data.experimental.prefetch_to_device",
        "shuffle_and_repeat": "data.experimental.shuffle_and_repeat",
        "unbatch": "data.experimental.unbatch",
    },
    "contrib.eager": {
        "Checkpoint": "train.Checkpoint",
        "GradientTape": "GradientTape",
        "Variable": "Variable",
        "enable_eager_execution": "compat.v1.enable_eager_execution",
        "in_eager_mode": "executing_eagerly",
        "metrics": "keras.metrics",
        "defun": "function",
        "executing_eagerly": "executing_eagerly",
        "py_func": "py_function",
    },
    "contrib.framework": {
        "assert_global_step": "compat.v1.train.assert_global_step",
        "create_global_step": "compat.v1.train.create_global_step",
        "get_global_step": "compat.v1.train.get_global_step",
        "get_or_create_global_step": "compat.v1.train.get_or_create_global_step",
        "get_variables": "compat.v1.global_variables",
        "init_from_checkpoint": "compat.v1.train.init_from_checkpoint",
        "list_variables": "train.list_variables",
        "load_variable": "train.load_variable",
        "nest": "nest",
        "sort": "sort",
    },
    "contrib.lookup": {
        **{f"{name}Initializer": f"lookup.{name}Initializer" for name in ("KeyValueTensor", "TextFile")},
        **{name.removeprefix("Static"): f"lookup.{name}" for name in ("StaticHashTable",)},
    },
}

#: parts of `tf.contrib` without a successor here -> what to use
MODERN = {
    "slim": "the package tf_slim",
    "all_reduce": "tf.distribute",
    "autograph": "tf.autograph",
    "bayesflow": "the package tensorflow_probability",
    "boosted_trees": "the package tensorflow_decision_forests",
    "checkpoint": "tf.train.Checkpoint",
    "cluster_resolver": "tf.distribute.cluster_resolver",
    "compiler": "tf.function(jit_compile=True)",
    "constrained_optimization": "the package tensorflow_constrained_optimization",
    "copy_graph": "tf.graph_util",
    "cudnn_rnn": "tf.keras.layers.LSTM and GRU",
    "deprecated": "tf.compat.v1.summary",
    "distributions": "the package tensorflow_probability",
    "estimator": "tf.estimator",
    "factorization": "the package tensorflow_decision_forests, or Keras",
    "feature_column": "tf.feature_column",
    "ffmpeg": "the package tensorflow_io",
    "gan": "the package tf_gan",
    "graph_editor": "tf.compat.v1.import_graph_def with input_map",
    "grid_rnn": "tf.keras.layers.RNN",
    "hadoop": "the package tensorflow_io",
    "hparams": "the package tensorboard.plugins.hparams",
    "input_pipeline": "tf.data",
    "integrate": "the package tensorflow_probability",
    "kafka": "the package tensorflow_io",
    "keras": "tf.keras",
    "kfac": "the package kfac",
    "labeled_tensor": "tf.einsum",
    "libsvm": "tf.io",
    "linalg": "tf.linalg",
    "linear_optimizer": "tf.estimator.LinearClassifier",
    "memory_stats": "tf.config.experimental.get_memory_info",
    "mixed_precision": "tf.keras.mixed_precision",
    "model_pruning": "the package tensorflow_model_optimization",
    "nccl": "tf.distribute.NcclAllReduce",
    "nn": "tf.nn",
    "optimizer_v2": "tf.keras.optimizers",
    "periodic_resample": "tf.image.resize",
    "proto": "tf.io.decode_proto",
    "quantization": "tf.quantization",
    "quantize": "the package tensorflow_model_optimization",
    "receptive_field": "the package receptive_field",
    "recurrent": "tf.keras.layers.RNN",
    "reduce_slice_ops": "tf.math.segment_sum",
    "remote_fused_graph": "tf.lite",
    "resampler": "the package tensorflow_addons",
    "signal": "tf.signal",
    "solvers": "tf.linalg",
    "sparsemax": "the package tensorflow_addons",
    "specs": "Keras",
    "staging": "tf.raw_ops.Stage",
    "stat_summarizer": "tf.profiler",
    "stateless": "tf.random.stateless_uniform and its relatives",
    "tensor_forest": "the package tensorflow_decision_forests",
    "tensorboard": "the package tensorboard",
    "tensorrt": "reflow.engine",
    "testing": "tf.test",
    "text": "the package tensorflow_text",
    "tfprof": "tf.profiler",
    "timeseries": "the package tensorflow_probability (sts), or Keras",
    "util": "tf.make_tensor_proto and tf.make_ndarray",
    "distribute": "tf.distribute",
    "summary": "tf.summary",
    "training": "tf.train",
    "crf": "the package tensorflow_addons",
    "image": "tf.image",
    "opt": "tf.keras.optimizers",
    "tpu": "tf.distribute.TPUStrategy",
    "lite": "tf.lite",
    "saved_model": "tf.saved_model",
    "metrics": "tf.compat.v1.metrics",
    "losses": "tf.compat.v1.losses",
}


def xavier_initializer(uniform=True, seed=None, dtype=None):
    """Glorot's initializer, uniform or normal."""
    return GlorotUniform(seed) if uniform else GlorotNormal(seed)


def variance_scaling_initializer(factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=None):
    """Samples whose variance is `factor` over the number of inputs, of outputs, or their mean."""
    kind = "uniform" if uniform else "truncated_normal"
    return VarianceScaling(factor, mode.lower(), kind, seed)


def l2_regularizer(scale, scope=None):
    """A function that gives `scale` times half the sum of squares; None for a scale of 0."""
    return (lambda weights: scale * nn_losses.l2_loss(weights)) if scale else (lambda _: None)


def l1_regularizer(scale, scope=None):
    """A function that gives `scale` times the sum of absolute values."""
    return (lambda weights: scale * reductions.reduce_sum(unary.abs(weights))) if scale else (lambda _: None)


class Part(types.ModuleType):
    """A part of `tf.contrib`; what it lacks raises."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        part = self.__name__.removeprefix("tensorflow.")
        if part == "contrib" and name == "slim" and importlib.util.find_spec("tf_slim") is not None:
            return importlib.import_module("tf_slim")
        successor = SUCCESSORS.get(part, {}).get(name)
        if successor is not None:
            return resolve(successor)
        raise AttributeError(self.explain(name))

    def explain(self, name: str) -> str:
        """Why there is no such name, and what to use in its place."""
        part = self.__name__.removeprefix("tensorflow.")
        modern = MODERN.get(name) if part == "contrib" else None
        hint = f"; the modern form is {modern}" if modern else "; TensorFlow 2 has no contrib"
        return f"Reflow has no tf.{part}.{name}{hint}"


def _part(name: str, things: dict) -> Part:
    part = Part(f"tensorflow.{name}")
    part.__path__ = []  # type: ignore[attr-defined]
    vars(part).update(things)
    return part


def _public(module, names: str) -> dict:
    return {name: getattr(module, name) for name in names.split()}


_CELLS = _public(cells, "RNNCell BasicRNNCell BasicLSTMCell LSTMCell GRUCell MultiRNNCell LSTMStateTuple") | _public(
    wrappers, "DropoutWrapper ResidualWrapper DeviceWrapper"
)
rnn = _part("contrib.rnn", _CELLS | _public(loops, "static_rnn static_bidirectional_rnn static_state_saving_rnn"))
layers = _part(
    "contrib.layers",
    {
        "xavier_initializer": xavier_initializer,
        "xavier_initializer_conv2d": xavier_initializer,
        "variance_scaling_initializer": variance_scaling_initializer,
        "l1_regularizer": l1_regularizer,
        "l2_regularizer": l2_regularizer,
        "linear": lambda *args, **kwargs: contrib_parts.fully_connected(*args, **{"activation_fn": None, **kwargs}),
        "relu": contrib_parts.fully_connected,
        "convolution2d": contrib_parts.conv2d,
        "convolution2d_transpose": contrib_parts.conv2d_transpose,
        "flatten": lambda inputs, outputs_collections=None, scope=None: core.flatten(inputs, scope),
        "dropout": lambda inputs, keep_prob=0.5, noise_shape=None, is_training=True, scope=None, seed=None: core.dropout(
            inputs, 1.0 - keep_prob, noise_shape, seed, is_training, scope
        ),
        "max_pool2d": lambda inputs, kernel_size, stride=2, padding="VALID", scope=None: windows.max_pooling2d(
            inputs, kernel_size, stride, padding.lower(), name=scope
        ),
        "identity": arrange.identity,
        "softmax": activations.softmax,
        **_public(contrib_parts, "fully_connected conv2d conv2d_transpose batch_norm avg_pool2d one_hot_encoding embed_sequence"),
        **_public(contrib_parts, "apply_regularization optimize_loss"),
    },
)
seq2seq = _part(
    "contrib.seq2seq",
    _public(contrib_parts, "sequence_loss")
    | _public(decoders, "Decoder BasicDecoder BasicDecoderOutput dynamic_decode")
    | _public(
        helpers,
        "Helper TrainingHelper GreedyEmbeddingHelper SampleEmbeddingHelper InferenceHelper CustomHelper ScheduledEmbeddingTrainingHelper "
        "ScheduledOutputTrainingHelper",
    )
    | _public(attention, "AttentionMechanism LuongAttention BahdanauAttention AttentionWrapper AttentionWrapperState hardmax")
    | _public(
        beam_search,
        "BeamSearchDecoder BeamSearchDecoderState BeamSearchDecoderOutput FinalBeamSearchDecoderOutput tile_batch gather_tree",
    ),
)
_LEGACY = _public(legacy, "rnn_decoder basic_rnn_seq2seq tied_rnn_seq2seq sequence_loss_by_example sequence_loss")
_EAGER = _public(
    contrib_eager, "implicit_gradients implicit_value_and_gradients gradients_function value_and_gradients_function Iterator num_gpus"
)
mnist = _part("contrib.learn.datasets.mnist", _public(contrib_parts, "read_data_sets Digits Datasets"))
datasets = _part("contrib.learn.datasets", {"mnist": mnist})
contrib = _part(
    "contrib",
    {
        "rnn": rnn,
        "layers": layers,
        "learn": _part("contrib.learn", {"datasets": datasets}),
        "predictor": _part("contrib.predictor", _public(contrib_predictor, "Predictor from_saved_model")),
        "seq2seq": seq2seq,
        "legacy_seq2seq": _part("contrib.legacy_seq2seq", _LEGACY),
        **{name.removeprefix("contrib."): _part(name, {}) for name in SUCCESSORS},
        "eager": _part("contrib.eager", _EAGER),
    },
)
#: `tensorflow.examples`, the package with the tutorials' digits
examples = _part("examples", {"tutorials": _part("examples.tutorials", {"mnist": _part("examples.tutorials.mnist", {"input_data": mnist})})})
