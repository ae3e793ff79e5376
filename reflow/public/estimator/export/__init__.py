# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.estimator.export`."""

from reflow.compat.saved_model.export_outputs import ClassificationOutput as ClassificationOutput
from reflow.compat.saved_model.export_outputs import ExportOutput as ExportOutput
from reflow.compat.saved_model.export_outputs import PredictOutput as PredictOutput
from reflow.compat.saved_model.export_outputs import RegressionOutput as RegressionOutput
from reflow.estimator.exporting import ServingInputReceiver as ServingInputReceiver
from reflow.estimator.exporting import TensorServingInputReceiver as TensorServingInputReceiver
from reflow.estimator.exporting import (
    build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn,
)
from reflow.estimator.exporting import build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn
