"""`tf.contrib`: the parts that have a successor, or that are written here.

For the rest, an error that names the modern form.
"""

from __future__ import annotations

import importlib.util
from typing import Any

from reflow.api.array import arrange
from reflow.api.nn import activations
from reflow.compat.rnn import cells as core_cells
from reflow.compat.rnn import loops, wrappers
from reflow.compat.seq2seq import attention, beam_search, decoders, helpers, legacy
from reflow.compat.seq2seq.loss import sequence_loss
from reflow.core import nest
from reflow.drop_in.contrib import (
    cells,
    columns,
    crf,
    datasets,
    digits,
    eager,
    framework,
    hparams,
    images,
    layers,
    measures,
    opt,
    optimize,
    predictor,
    scopes,
    tpu,
    weights,
)  # fmt: skip
from reflow.drop_in.contrib.learn import canned, estimators, experiment, feeding, keys, monitors, preprocessing, tables
from reflow.drop_in.contrib.part import REST, Part, names_of
from reflow.lookup import buckets, vocabularies


def _pairs(text: str) -> dict[str, str]:
    """Old names and new ones, which are written in turn."""
    return {old: new for old, new in (pair.split() for pair in text.split(","))}


#: part of `tf.contrib` -> the namespaces below `tf` where all of it is today
_MOVED = {
    "autograph": "autograph", "cluster_resolver": "distribute.cluster_resolver",
    "data": "compat.v1.data.experimental data.experimental compat.v1.data", "distribute": "distribute",
    "distributions": "compat.v1.distributions",
    "estimator": "compat.v1.estimator compat.v1.estimator.experimental estimator",
    "feature_column": "feature_column compat.v1.feature_column", "image": "compat.v1.image", "keras": "keras",
    "lite": "lite", "nn": "compat.v1.nn", "proto": "io", "quantization": "quantization",
    "saved_model": "compat.v1.saved_model", "signal": "signal", "summary": "compat.v2.summary compat.v1.summary",
    "testing": "test", "training": "compat.v1.train",
}
#: part of `tf.contrib` -> name in it -> what it is today, below `tf`; all other names are below the namespaces under
#: REST
SUCCESSORS: dict[str, dict[str, str]] = {
    **{part: {REST: namespaces} for part, namespaces in _MOVED.items()},
    "checkpoint": {"CheckpointableBase": "Module", REST: "train"},
    "eager": _pairs(
        "Checkpoint train.Checkpoint, GradientTape GradientTape, Variable Variable, "
        "enable_eager_execution compat.v1.enable_eager_execution, in_eager_mode executing_eagerly, "
        "metrics keras.metrics, defun function, executing_eagerly executing_eagerly, py_func py_function"
    ),
    "framework": _pairs(
        "assert_global_step compat.v1.train.assert_global_step, "
        "create_global_step compat.v1.train.create_global_step, get_global_step compat.v1.train.get_global_step, "
        "get_or_create_global_step compat.v1.train.get_or_create_global_step, "
        "init_from_checkpoint compat.v1.train.init_from_checkpoint, list_variables train.list_variables, "
        "load_checkpoint train.load_checkpoint, load_variable train.load_variable, is_tensor is_tensor, sort sort, "
        "argsort argsort, local_variable compat.v1.get_local_variable, CriticalSection CriticalSection"
    ),
    "linalg": {"LinearOperatorTriL": "linalg.LinearOperatorLowerTriangular", REST: "linalg"},
    "lookup": _pairs(
        "HashTable lookup.StaticHashTable, MutableHashTable lookup.experimental.MutableHashTable, "
        "MutableDenseHashTable lookup.experimental.DenseHashTable, TextFileInitializer lookup.TextFileInitializer, "
        "KeyValueTensorInitializer lookup.KeyValueTensorInitializer"
    ),
    "stateless": _pairs(
        "stateless_random_normal random.stateless_normal, stateless_random_uniform random.stateless_uniform, "
        "stateless_truncated_normal random.stateless_truncated_normal, "
        "stateless_multinomial random.stateless_categorical"
    ),
    "util": {"constant_value": "get_static_value", REST: "compat.v1"},
}

#: parts of `tf.contrib` that are not here -> what to use
MODERN = {
    "slim": "the package tf_slim",
    "all_reduce": "tf.distribute",
    "boosted_trees": "tf.estimator.BoostedTreesClassifier and BoostedTreesRegressor",
    "bayesflow": "the package tensorflow_probability",
    "compiler": "tf.function(jit_compile=True)",
    "constrained_optimization": "the package tensorflow_constrained_optimization",
    "copy_graph": "tf.graph_util",
    "cudnn_rnn": "tf.keras.layers.LSTM and GRU",
    "deprecated": "tf.compat.v1.summary",
    "factorization": "the package tensorflow_decision_forests, or Keras",
    "ffmpeg": "the package tensorflow_io",
    "gan": "the package tf_gan",
    "graph_editor": "tf.compat.v1.import_graph_def with input_map",
    "grid_rnn": "tf.keras.layers.RNN",
    "hadoop": "the package tensorflow_io",
    "input_pipeline": "tf.data",
    "integrate": "the package tensorflow_probability",
    "kafka": "the package tensorflow_io",
    "kfac": "the package kfac",
    "labeled_tensor": "tf.einsum",
    "libsvm": "tf.io",
    "linear_optimizer": "tf.estimator.LinearClassifier",
    "memory_stats": "tf.config.experimental.get_memory_info",
    "mixed_precision": "tf.keras.mixed_precision",
    "model_pruning": "the package tensorflow_model_optimization",
    "nccl": "tf.distribute.NcclAllReduce",
    "optimizer_v2": "tf.keras.optimizers",
    "periodic_resample": "tf.image.resize",
    "quantize": "the package tensorflow_model_optimization",
    "receptive_field": "the package receptive_field",
    "recurrent": "tf.keras.layers.RNN",
    "reduce_slice_ops": "tf.math.segment_sum",
    "remote_fused_graph": "tf.lite",
    "resampler": "the package tensorflow_addons",
    "solvers": "tf.linalg",
    "sparsemax": "the package tensorflow_addons",
    "specs": "Keras",
    "staging": "tf.raw_ops.Stage",
    "stat_summarizer": "tf.profiler",
    "tensor_forest": "the package tensorflow_decision_forests",
    "tensorrt": "reflow.engine",
    "text": "the package tensorflow_text",
    "tfprof": "tf.profiler",
    "timeseries": "the package tensorflow_probability (sts), or Keras",
}



class Contrib(Part):
    """`tf.contrib` itself; `slim` is the package `tf_slim`."""

    def __getattr__(self, name: str) -> Any:
        if name == "slim" and importlib.util.find_spec("tf_slim") is not None:
            return importlib.import_module("tf_slim")
        return super().__getattr__(name)

    def explain(self, name: str) -> str:
        """Why there is no such part, and what to use in its place."""
        install = ": `pip install tf_slim`, and tf.contrib.slim is there" if name == "slim" else ""
        return super().explain(name) + install


_LAYERS = {
    **names_of(
        weights,
        "xavier_initializer variance_scaling_initializer l1_regularizer l2_regularizer "
        "l1_l2_regularizer sum_regularizer",
    ),
    **names_of(weights, "apply_regularization"),
    **names_of(optimize, "optimize_loss OPTIMIZER_CLS_NAMES OPTIMIZER_SUMMARIES"),
    **names_of(
        layers,
        "fully_connected convolution conv1d conv2d conv3d conv2d_transpose separable_conv2d bias_add batch_norm "
        "layer_norm instance_norm max_pool2d avg_pool2d flatten dropout one_hot_encoding unit_norm repeat stack "
        "embed_sequence summarize_tensor summarize_tensors summarize_activation summarize_activations "
        "summarize_collection",
    ),
    **names_of(
        columns,
        "real_valued_column bucketized_column sparse_column_with_hash_bucket sparse_column_with_keys "
        "sparse_column_with_vocabulary_file sparse_column_with_integerized_feature weighted_sparse_column "
        "crossed_column one_hot_column embedding_column create_feature_spec_for_parsing input_from_feature_columns "
        "weighted_sum_from_feature_columns",
    ),
    "xavier_initializer_conv2d": weights.xavier_initializer,
    "linear": lambda *args, **kwargs: layers.fully_connected(*args, **{"activation_fn": None, **kwargs}),
    "relu": layers.fully_connected,
    "relu6": lambda *args, **kwargs: layers.fully_connected(*args, **{"activation_fn": activations.relu6, **kwargs}),
    "convolution2d": layers.conv2d,
    "convolution2d_transpose": layers.conv2d_transpose,
    "separable_convolution2d": layers.separable_conv2d,
    "convolution1d": layers.conv1d,
    "convolution3d": layers.conv3d,
    "identity": arrange.identity,
    "softmax": activations.softmax,
}
_RNN = {
    **names_of(core_cells, "RNNCell BasicRNNCell BasicLSTMCell LSTMCell GRUCell MultiRNNCell LSTMStateTuple"),
    **names_of(wrappers, "DropoutWrapper ResidualWrapper DeviceWrapper"),
    **names_of(loops, "static_rnn static_bidirectional_rnn static_state_saving_rnn"),
    **names_of(
        cells,
        "LSTMBlockCell GRUBlockCell GRUBlockCellV2 LayerNormBasicLSTMCell NASCell UGRNNCell ConvLSTMCell "
        "Conv1DLSTMCell Conv2DLSTMCell Conv3DLSTMCell OutputProjectionWrapper InputProjectionWrapper EmbeddingWrapper "
        "HighwayWrapper AttentionCellWrapper CoupledInputForgetGateLSTMCell stack_bidirectional_dynamic_rnn "
        "stack_bidirectional_rnn transpose_batch_time best_effort_input_batch_size",
    ),
}
_SEQ2SEQ = {
    "sequence_loss": sequence_loss,
    **names_of(decoders, "Decoder BasicDecoder BasicDecoderOutput dynamic_decode"),
    **names_of(
        helpers,
        "Helper TrainingHelper GreedyEmbeddingHelper SampleEmbeddingHelper InferenceHelper CustomHelper "
        "ScheduledEmbeddingTrainingHelper ScheduledOutputTrainingHelper",
    ),
    **names_of(
        attention, "AttentionMechanism LuongAttention BahdanauAttention AttentionWrapper AttentionWrapperState hardmax"
    ),
    **names_of(
        beam_search,
        "BeamSearchDecoder BeamSearchDecoderState BeamSearchDecoderOutput FinalBeamSearchDecoderOutput tile_batch "
        "gather_tree",
    ),
}
_FRAMEWORK = {
    "nest": nest,
    **names_of(scopes, "arg_scope add_arg_scope has_arg_scope arg_scoped_arguments current_arg_scope"),
    **names_of(
        framework,
        "variable model_variable get_variables get_model_variables get_local_variables get_trainable_variables "
        "get_variables_by_suffix get_variables_by_name get_unique_variable filter_variables get_variables_to_restore "
        "assign_from_values assign_from_values_fn assign_from_checkpoint assign_from_checkpoint_fn",
    ),
}
_LOOKUP = {
    **names_of(
        vocabularies,
        "index_table_from_file index_table_from_tensor index_to_string_table_from_file "
        "index_to_string_table_from_tensor",
    ),
    "string_to_index_table_from_file": vocabularies.index_table_from_file,
    "string_to_index_table_from_tensor": vocabularies.index_table_from_tensor,
    **names_of(buckets, "IdTableWithHashBuckets FastHashSpec StrongHashSpec HasherSpec"),
}


def _part(name: str, things: dict[str, Any]) -> Part:
    """The part of a name below `tf.contrib`."""
    return Part(f"contrib.{name}", things, SUCCESSORS.get(name, {}), {})


mnist = _part(
    "learn.datasets.mnist", names_of(digits, "read_data_sets load_mnist Digits Datasets") | {"DataSet": digits.Digits}
)
_DATASETS = {
    "mnist": mnist,
    "base": _part(
        "learn.datasets.base",
        names_of(tables, "Dataset load_csv_with_header load_csv_without_header") | {"Datasets": digits.Datasets},
    ),
    "load_dataset": tables.load_dataset,
}
_MONITORS = (
    "BaseMonitor EveryN ValidationMonitor StopAtStep CaptureVariable PrintTensor LoggingTrainable "
    "RunHookAdapterForMonitors replace_monitors_with_hooks StepCounter NanLoss CheckpointSaver "
    "SummarySaver get_default_monitors"
)
_FEEDING = "numpy_input_fn pandas_input_fn extract_pandas_data extract_pandas_labels"
_LEARN = {
    "datasets": _part("learn.datasets", _DATASETS),
    "io": _part("learn.io", names_of(feeding, _FEEDING)),
    "monitors": _part("learn.monitors", names_of(monitors, _MONITORS)),
    "preprocessing": _part(
        "learn.preprocessing",
        names_of(preprocessing, "VocabularyProcessor ByteProcessor CategoricalVocabulary tokenizer"),
    ),
    "learn_runner": _part("learn.learn_runner", {"run": experiment.run}),
    **names_of(keys, "ModeKeys PredictionKey MetricKey ProblemType TaskType ModelFnOps MetricSpec"),
    **names_of(estimators, "BaseEstimator Estimator SKCompat"),
    **names_of(
        canned,
        "LinearClassifier LinearRegressor DNNClassifier DNNRegressor DNNLinearCombinedClassifier "
        "DNNLinearCombinedRegressor",
    ),
    **names_of(experiment, "Experiment RunConfig"),
    **names_of(feeding, f"infer_real_valued_columns_from_input infer_real_valued_columns_from_input_fn {_FEEDING}"),
}
_LEGACY = names_of(legacy, "rnn_decoder basic_rnn_seq2seq tied_rnn_seq2seq sequence_loss_by_example sequence_loss")
_EAGER = names_of(
    eager,
    "implicit_gradients implicit_value_and_gradients gradients_function value_and_gradients_function "
    "Iterator Network num_gpus",
)
_OPT = names_of(
    opt,
    "LazyAdamOptimizer AdamWOptimizer MomentumWOptimizer extend_with_decoupled_weight_decay MovingAverageOptimizer "
    "ExternalOptimizerInterface ScipyOptimizerInterface",
)
_IMAGE = names_of(
    images, "rotate translate transform angles_to_projective_transforms translations_to_projective_transforms"
)


class _Plugins(Part):
    """`tf.contrib.tensorboard.plugins`, which needs TensorBoard when it is used."""

    def __getattr__(self, name: str) -> Any:
        if name == "projector":
            return importlib.import_module("reflow.drop_in.contrib.projector")
        return super().__getattr__(name)


_PARTS: dict[str, dict[str, Any]] = {name: {} for name in SUCCESSORS} | {
    "crf": names_of(
        crf,
        "crf_binary_score crf_decode crf_log_likelihood crf_log_norm crf_sequence_score crf_unary_score viterbi_decode",
    ),
    "data": names_of(datasets, "batch_and_drop_remainder padded_batch_and_drop_remainder"),
    "eager": _EAGER,
    "framework": _FRAMEWORK,
    "image": _IMAGE,
    "layers": _LAYERS,
    "learn": _LEARN,
    "legacy_seq2seq": _LEGACY,
    "lookup": _LOOKUP,
    "losses": measures.LOSSES,
    "metrics": measures.METRICS,
    "opt": _OPT,
    "predictor": names_of(predictor, "Predictor from_saved_model"),
    "rnn": _RNN,
    "seq2seq": _SEQ2SEQ,
    "tensorboard": {"plugins": _Plugins("contrib.tensorboard.plugins", {}, {}, {})},
    "tpu": names_of(
        tpu, "TPUEstimator TPUEstimatorSpec TPUConfig RunConfig InputPipelineConfig CrossShardOptimizer"
    ),
    "training": names_of(hparams, "HParams"),
}
contrib = Contrib("contrib", {name: _part(name, things) for name, things in _PARTS.items()}, {}, MODERN)
#: `tensorflow.examples`, the package with the tutorials' digits
_TUTORIALS = {"mnist": Part("examples.tutorials.mnist", {"input_data": mnist}, {}, {})}
examples = Part("examples", {"tutorials": Part("examples.tutorials", _TUTORIALS, {}, {})}, {}, {})
