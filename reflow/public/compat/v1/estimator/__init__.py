# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.estimator`."""

from reflow.compat.train.file_hooks import CheckpointSaverHook as CheckpointSaverHook
from reflow.compat.train.file_hooks import CheckpointSaverListener as CheckpointSaverListener
from reflow.compat.train.file_hooks import ProfilerHook as ProfilerHook
from reflow.compat.train.file_hooks import StepCounterHook as StepCounterHook
from reflow.compat.train.file_hooks import SummarySaverHook as SummarySaverHook
from reflow.compat.train.hooks import FeedFnHook as FeedFnHook
from reflow.compat.train.hooks import FinalOpsHook as FinalOpsHook
from reflow.compat.train.hooks import GlobalStepWaiterHook as GlobalStepWaiterHook
from reflow.compat.train.hooks import LoggingTensorHook as LoggingTensorHook
from reflow.compat.train.hooks import NanLossDuringTrainingError as NanLossDuringTrainingError
from reflow.compat.train.hooks import NanTensorHook as NanTensorHook
from reflow.compat.train.hooks import SecondOrStepTimer as SecondOrStepTimer
from reflow.compat.train.hooks import StopAtStepHook as StopAtStepHook
from reflow.compat.train.session_run_hook import SessionRunArgs as SessionRunArgs
from reflow.compat.train.session_run_hook import SessionRunContext as SessionRunContext
from reflow.compat.train.session_run_hook import SessionRunHook as SessionRunHook
from reflow.compat.train.session_run_hook import SessionRunValues as SessionRunValues
from reflow.compat.train.warm_starting import VocabInfo as VocabInfo
from reflow.estimator.canned import BaselineClassifierV1 as BaselineClassifier
from reflow.estimator.canned import BaselineRegressorV1 as BaselineRegressor
from reflow.estimator.canned import DNNClassifierV1 as DNNClassifier
from reflow.estimator.canned import DNNLinearCombinedClassifierV1 as DNNLinearCombinedClassifier
from reflow.estimator.canned import DNNLinearCombinedRegressorV1 as DNNLinearCombinedRegressor
from reflow.estimator.canned import DNNRegressorV1 as DNNRegressor
from reflow.estimator.canned import LinearClassifierV1 as LinearClassifier
from reflow.estimator.canned import LinearRegressorV1 as LinearRegressor
from reflow.estimator.estimator import Estimator as Estimator
from reflow.estimator.heads import BinaryClassHead as BinaryClassHead
from reflow.estimator.heads import Head as Head
from reflow.estimator.heads import MultiClassHead as MultiClassHead
from reflow.estimator.heads import RegressionHead as RegressionHead
from reflow.estimator.more_heads import LogisticRegressionHead as LogisticRegressionHead
from reflow.estimator.more_heads import MultiHead as MultiHead
from reflow.estimator.more_heads import MultiLabelHead as MultiLabelHead
from reflow.estimator.more_heads import PoissonRegressionHead as PoissonRegressionHead
from reflow.estimator.run_config import RunConfig as RunConfig
from reflow.estimator.spec import EstimatorSpec as EstimatorSpec
from reflow.estimator.spec import ModeKeys as ModeKeys
from reflow.estimator.training import BestExporter as BestExporter
from reflow.estimator.training import EvalSpec as EvalSpec
from reflow.estimator.training import Exporter as Exporter
from reflow.estimator.training import FinalExporter as FinalExporter
from reflow.estimator.training import LatestExporter as LatestExporter
from reflow.estimator.training import TrainSpec as TrainSpec
from reflow.estimator.training import train_and_evaluate as train_and_evaluate
from reflow.estimator.trees.estimators import BoostedTreesClassifier as BoostedTreesClassifier
from reflow.estimator.trees.estimators import BoostedTreesEstimator as BoostedTreesEstimator
from reflow.estimator.trees.estimators import BoostedTreesRegressor as BoostedTreesRegressor
from reflow.estimator.warm_start import WarmStartSettings as WarmStartSettings
from reflow.estimator.with_head import BaselineEstimator as BaselineEstimator
from reflow.estimator.with_head import DNNEstimator as DNNEstimator
from reflow.estimator.with_head import DNNLinearCombinedEstimator as DNNLinearCombinedEstimator
from reflow.estimator.with_head import LinearEstimator as LinearEstimator
from reflow.public.compat.v1.estimator import experimental as experimental
from reflow.public.compat.v1.estimator import export as export
from reflow.public.compat.v1.estimator import inputs as inputs

__all__ = [
    "BaselineClassifier", "BaselineEstimator", "BaselineRegressor", "BestExporter", "BinaryClassHead",
    "BoostedTreesClassifier", "BoostedTreesEstimator", "BoostedTreesRegressor", "CheckpointSaverHook",
    "CheckpointSaverListener", "DNNClassifier", "DNNEstimator", "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator", "DNNLinearCombinedRegressor", "DNNRegressor", "Estimator", "EstimatorSpec",
    "EvalSpec", "Exporter", "FeedFnHook", "FinalExporter", "FinalOpsHook", "GlobalStepWaiterHook", "Head",
    "LatestExporter", "LinearClassifier", "LinearEstimator", "LinearRegressor", "LoggingTensorHook",
    "LogisticRegressionHead", "ModeKeys", "MultiClassHead", "MultiHead", "MultiLabelHead", "NanLossDuringTrainingError",
    "NanTensorHook", "PoissonRegressionHead", "ProfilerHook", "RegressionHead", "RunConfig", "SecondOrStepTimer",
    "SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues", "StepCounterHook", "StopAtStepHook",
    "SummarySaverHook", "TrainSpec", "VocabInfo", "WarmStartSettings", "experimental", "export", "inputs",
    "train_and_evaluate",
]
