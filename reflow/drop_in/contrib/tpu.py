"""`tf.contrib.tpu`: `TPUEstimator`, which programs run without a TPU by `use_tpu=False`.

It is an `Estimator` whose functions get the size of a batch in `params`, and whose metrics are a function of tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from reflow.compat.train.scaffold import Scaffold
from reflow.compat.train.session_run_hook import SessionRunArgs, SessionRunHook
from reflow.estimator.estimator import Estimator
from reflow.estimator.input_functions import called
from reflow.estimator.run_config import RunConfig as EstimatorRunConfig
from reflow.estimator.spec import EstimatorSpec, ModeKeys


class InputPipelineConfig:
    """Where inputs are made; it counts on TPUs."""

    PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2, BROADCAST, SLICED = 1, 2, 3, 4, 5


class TPUConfig(NamedTuple):
    """Settings of TPUs."""

    iterations_per_loop: int = 2
    num_shards: int | None = None
    num_cores_per_replica: int | None = None
    per_host_input_for_training: Any = True
    tpu_job_name: str | None = None
    initial_infeed_sleep_secs: int | None = None
    input_partition_dims: Any = None
    eval_training_input_configuration: int = 2
    experimental_host_call_every_n_steps: int = 1


class RunConfig(EstimatorRunConfig):
    """The settings of an estimator, and of the TPUs it might run on."""

    def __init__(self, tpu_config=None, evaluation_master=None, master=None, cluster=None, **kwargs):
        super().__init__(**kwargs)
        self.tpu_config, self.cluster = tpu_config or TPUConfig(), cluster
        if master or evaluation_master:
            raise ValueError(
                "RunConfig: estimators run in this process here; leave out `master` and `evaluation_master`."
            )


class TPUEstimatorSpec(NamedTuple):
    """What a model function returns; `eval_metrics` is a function and the tensors it is called with."""

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: Any = None
    export_outputs: Any = None
    scaffold_fn: Callable[[], Scaffold] | None = None
    host_call: Any = None
    training_hooks: Any = None
    evaluation_hooks: Any = None
    prediction_hooks: Any = None

    def as_estimator_spec(self) -> EstimatorSpec:
        """The `EstimatorSpec` that trains the model without a TPU."""
        hooks = {name: getattr(self, name) for name in ("training_hooks", "evaluation_hooks", "prediction_hooks")}
        host = _called(self.host_call)
        if host is not None:
            hooks = {name: [*(given or ()), _RunAlong(host)] for name, given in hooks.items()}
        return EstimatorSpec(
            self.mode, self.predictions, self.loss, self.train_op, _called(self.eval_metrics), self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None, **hooks,
        )


class _RunAlong(SessionRunHook):
    """Runs tensors with each step."""

    def __init__(self, tensors: Any) -> None:
        self._tensors = tensors

    def before_run(self, run_context):
        return SessionRunArgs(self._tensors)


def _called(pair: Any) -> Any:
    if not pair:
        return None
    function, tensors = pair
    return function(**tensors) if isinstance(tensors, dict) else function(*tensors)


# TensorFlow's name
def CrossShardOptimizer(opt, reduction=None, name="CrossShardOptimizer", group_assignment=None):  # noqa: N802
    """An optimizer that adds up the gradients of all TPUs: without any, the optimizer itself."""
    return opt


class TPUEstimator(Estimator):
    """An estimator of a model for TPUs, on the devices at hand.

    Functions get `params["batch_size"]`, the size of a batch in each mode. `batch_axis`, `eval_on_tpu` and
    `export_to_tpu` say what TPUs do.
    """

    def __init__(
        self, model_fn=None, model_dir=None, config=None, params=None, use_tpu=True, train_batch_size=None,
        eval_batch_size=None, predict_batch_size=None, batch_axis=None, eval_on_tpu=True, export_to_tpu=True,
        export_to_cpu=True, warm_start_from=None,
    ):
        if use_tpu:
            raise ValueError(
                "TPUEstimator: there are no TPUs here; use_tpu=False runs the model on the devices at hand."
            )
        if params is not None and "batch_size" in params:
            raise ValueError("batch_size are reserved keys; reserved keys are used by TPUEstimator")
        self._sizes = {
            ModeKeys.TRAIN: train_batch_size, ModeKeys.EVAL: eval_batch_size, ModeKeys.PREDICT: predict_batch_size
        }
        self._own_model_fn = model_fn
        super().__init__(self._plain_model_fn, model_dir, config, params or {}, warm_start_from)

    def _plain_model_fn(self, features, labels, mode, params, config):
        spec = called(
            self._own_model_fn, features=features, labels=labels, mode=mode, params=self._with_size(mode), config=config
        )
        return spec.as_estimator_spec() if isinstance(spec, TPUEstimatorSpec) else spec

    def _with_size(self, mode: str) -> dict:
        size = self._sizes[mode]
        return dict(self._params) if size is None else dict(self._params) | {"batch_size": size}

    def _build(self, input_fn, mode):
        kept, self._params = self._params, self._with_size(mode)
        try:
            return super()._build(input_fn, mode)
        finally:
            self._params = kept
