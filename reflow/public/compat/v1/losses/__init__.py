# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.losses`."""

from reflow.compat.losses import Reduction as Reduction
from reflow.compat.losses import absolute_difference as absolute_difference
from reflow.compat.losses import add_loss as add_loss
from reflow.compat.losses import compute_weighted_loss as compute_weighted_loss
from reflow.compat.losses import cosine_distance as cosine_distance
from reflow.compat.losses import get_losses as get_losses
from reflow.compat.losses import get_regularization_loss as get_regularization_loss
from reflow.compat.losses import get_regularization_losses as get_regularization_losses
from reflow.compat.losses import get_total_loss as get_total_loss
from reflow.compat.losses import hinge_loss as hinge_loss
from reflow.compat.losses import huber_loss as huber_loss
from reflow.compat.losses import log_loss as log_loss
from reflow.compat.losses import mean_pairwise_squared_error as mean_pairwise_squared_error
from reflow.compat.losses import mean_squared_error as mean_squared_error
from reflow.compat.losses import sigmoid_cross_entropy as sigmoid_cross_entropy
from reflow.compat.losses import softmax_cross_entropy as softmax_cross_entropy
from reflow.compat.losses import sparse_softmax_cross_entropy as sparse_softmax_cross_entropy
