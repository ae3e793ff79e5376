"""Experiments: an estimator and what it is trained and evaluated with."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

learn = contrib.learn
DATA = {"x": np.array([1.0, 2.0, 3.0, 4.0])}, np.array([0.0, -1.0, -2.0, -3.0])


def experiment(folder, **options):
    model = learn.LinearRegressor([contrib.layers.real_valued_column("x")], model_dir=folder)
    train, test = (learn.io.numpy_input_fn(*DATA, 4, num_epochs=epochs) for epochs in (None, 1))
    return learn.Experiment(model, train, test, train_steps=20, eval_steps=1, **options)


def test_an_experiment_is_run(tmp_path):
    values, exports = learn.learn_runner.run(
        lambda folder: experiment(folder, min_eval_frequency=10), str(tmp_path / "a")
    )
    assert values["global_step"] == 20 and exports == []
    config = learn.RunConfig(model_dir=str(tmp_path / "b"))

    def build(run_config, hparams):
        assert hparams == 5
        return experiment(run_config.model_dir)

    assert learn.learn_runner.run(build, run_config=config, schedule="test", hparams=5)[0]["global_step"] == 1
    made = experiment(str(tmp_path / "b"))
    made.extend_train_hooks([learn.monitors.StopAtStep(num_steps=3)])
    made.train()
    assert made.evaluate()["global_step"] == 4 and made.reset_export_strategies() == []


def test_estimators_of_today_are_taken(tmp_path):
    model = tf.estimator.LinearRegressor([tf.feature_column.numeric_column("x")], model_dir=str(tmp_path))
    functions = [learn.io.numpy_input_fn(*DATA, 4, num_epochs=epochs) for epochs in (None, 1)]
    values, _ = learn.Experiment(model, *functions, train_steps=3).train_and_evaluate()
    assert values["global_step"] == 3
    with pytest.raises(ValueError, match="`eval_metrics` must be `None`"):
        learn.Experiment(model, *functions, eval_metrics={})


def test_wrong_runs_raise(tmp_path):
    run = learn.learn_runner.run
    with pytest.raises(ValueError, match="one must be given"):
        run(experiment)
    with pytest.raises(ValueError, match="Must have `model_dir` set"):
        run(experiment, run_config=learn.RunConfig())
    with pytest.raises(ValueError, match="non-existent task fly"):
        run(experiment, str(tmp_path), "fly")
    with pytest.raises(TypeError, match="did not return an Experiment"):
        run(lambda folder: 3, str(tmp_path))
    with pytest.raises(ValueError, match="run in this process here"):
        learn.RunConfig(master="grpc://x")
    assert learn.RunConfig(num_cores=3).session_config.intra_op_parallelism_threads == 3
