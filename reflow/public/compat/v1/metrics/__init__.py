# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.metrics`."""

from reflow.compat.metrics.counts import auc as auc
from reflow.compat.metrics.counts import false_negatives as false_negatives
from reflow.compat.metrics.counts import false_negatives_at_thresholds as false_negatives_at_thresholds
from reflow.compat.metrics.counts import false_positives as false_positives
from reflow.compat.metrics.counts import false_positives_at_thresholds as false_positives_at_thresholds
from reflow.compat.metrics.counts import precision as precision
from reflow.compat.metrics.counts import precision_at_thresholds as precision_at_thresholds
from reflow.compat.metrics.counts import recall as recall
from reflow.compat.metrics.counts import recall_at_thresholds as recall_at_thresholds
from reflow.compat.metrics.counts import sensitivity_at_specificity as sensitivity_at_specificity
from reflow.compat.metrics.counts import specificity_at_sensitivity as specificity_at_sensitivity
from reflow.compat.metrics.counts import true_negatives as true_negatives
from reflow.compat.metrics.counts import true_negatives_at_thresholds as true_negatives_at_thresholds
from reflow.compat.metrics.counts import true_positives as true_positives
from reflow.compat.metrics.counts import true_positives_at_thresholds as true_positives_at_thresholds
from reflow.compat.metrics.means import accuracy as accuracy
from reflow.compat.metrics.means import mean as mean
from reflow.compat.metrics.means import mean_absolute_error as mean_absolute_error
from reflow.compat.metrics.means import mean_cosine_distance as mean_cosine_distance
from reflow.compat.metrics.means import mean_iou as mean_iou
from reflow.compat.metrics.means import mean_per_class_accuracy as mean_per_class_accuracy
from reflow.compat.metrics.means import mean_relative_error as mean_relative_error
from reflow.compat.metrics.means import mean_squared_error as mean_squared_error
from reflow.compat.metrics.means import mean_tensor as mean_tensor
from reflow.compat.metrics.means import percentage_below as percentage_below
from reflow.compat.metrics.means import root_mean_squared_error as root_mean_squared_error
from reflow.compat.metrics.top_k import average_precision_at_k as average_precision_at_k
from reflow.compat.metrics.top_k import precision_at_k as precision_at_k
from reflow.compat.metrics.top_k import precision_at_top_k as precision_at_top_k
from reflow.compat.metrics.top_k import recall_at_k as recall_at_k
from reflow.compat.metrics.top_k import recall_at_top_k as recall_at_top_k
from reflow.compat.metrics.top_k import sparse_average_precision_at_k as sparse_average_precision_at_k
from reflow.compat.metrics.top_k import sparse_precision_at_k as sparse_precision_at_k
