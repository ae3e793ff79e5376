"""`tensorflow.python.ops.nn_impl`: the logits behind losses over drawn classes."""

from __future__ import annotations

from reflow.api.nn.candidates import sampled_logits
from reflow.compat.embeddings import whole_classes
from reflow.compat.name_scopes import name_scope


def _compute_sampled_logits(
    weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, subtract_log_q=True,
    remove_accidental_hits=False, partition_strategy="mod", name=None, seed=None,
):
    """(logits, labels) of the true classes and of drawn ones; weights and biases may be lists of parts."""
    with name_scope(name, "compute_sampled_logits"):
        weights, biases = whole_classes(weights, biases, partition_strategy, num_classes)
        drawn = num_sampled, num_classes, num_true, sampled_values
        return sampled_logits(weights, biases, labels, inputs, *drawn, subtract_log_q, remove_accidental_hits, seed)
