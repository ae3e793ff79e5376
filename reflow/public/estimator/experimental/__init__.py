# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.estimator.experimental`."""

from reflow.estimator.early_stopping import InMemoryEvaluatorHook as InMemoryEvaluatorHook
from reflow.estimator.early_stopping import make_early_stopping_hook as make_early_stopping_hook
from reflow.estimator.early_stopping import read_eval_metrics as read_eval_metrics
from reflow.estimator.early_stopping import stop_if_higher_hook as stop_if_higher_hook
from reflow.estimator.early_stopping import stop_if_lower_hook as stop_if_lower_hook
from reflow.estimator.early_stopping import stop_if_no_decrease_hook as stop_if_no_decrease_hook
from reflow.estimator.early_stopping import stop_if_no_increase_hook as stop_if_no_increase_hook
