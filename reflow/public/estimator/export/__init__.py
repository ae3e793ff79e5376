# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.estimator.export`."""

from reflow.estimator.exporting import ClassificationOutput as ClassificationOutput
from reflow.estimator.exporting import PredictOutput as PredictOutput
from reflow.estimator.exporting import RegressionOutput as RegressionOutput
from reflow.estimator.exporting import ServingInputReceiver as ServingInputReceiver
from reflow.estimator.exporting import TensorServingInputReceiver as TensorServingInputReceiver
from reflow.estimator.exporting import build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn
from reflow.estimator.exporting import build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn
