# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.nn`."""

from reflow.api.array.sorting import top_k as top_k
from reflow.api.math.statistics import approx_max_k as approx_max_k
from reflow.api.math.statistics import approx_min_k as approx_min_k
from reflow.api.math.statistics import collapse_repeated as collapse_repeated
from reflow.api.math.statistics import ctc_unique_labels as ctc_unique_labels
from reflow.api.math.unary import sigmoid as sigmoid
from reflow.api.math.unary import tanh as tanh
from reflow.api.nn.activations import elu as elu
from reflow.api.nn.activations import leaky_relu as leaky_relu
from reflow.api.nn.activations import relu as relu
from reflow.api.nn.activations import relu6 as relu6
from reflow.api.nn.activations import selu as selu
from reflow.api.nn.activations import silu as silu
from reflow.api.nn.activations import softplus as softplus
from reflow.api.nn.activations import softsign as softsign
from reflow.api.nn.backprop import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from reflow.api.nn.backprop import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from reflow.api.nn.candidates import all_candidate_sampler as all_candidate_sampler
from reflow.api.nn.candidates import compute_accidental_hits as compute_accidental_hits
from reflow.api.nn.candidates import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from reflow.api.nn.candidates import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from reflow.api.nn.candidates import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from reflow.api.nn.candidates import uniform_candidate_sampler as uniform_candidate_sampler
from reflow.api.nn.conv import atrous_conv2d as atrous_conv2d
from reflow.api.nn.conv_transpose import atrous_conv2d_transpose as atrous_conv2d_transpose
from reflow.api.nn.conv_transpose import conv1d_transpose as conv1d_transpose
from reflow.api.nn.conv_transpose import conv_transpose as conv_transpose
from reflow.api.nn.ctc import ctc_beam_search_decoder as ctc_beam_search_decoder_v2
from reflow.api.nn.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from reflow.api.nn.ctc import ctc_loss as ctc_loss_v2
from reflow.api.nn.dilation import with_space_to_batch as with_space_to_batch
from reflow.api.nn.fractional import fractional_avg_pool_v1 as fractional_avg_pool
from reflow.api.nn.fractional import fractional_max_pool_v1 as fractional_max_pool
from reflow.api.nn.losses import compute_average_loss as compute_average_loss
from reflow.api.nn.losses import l2_loss as l2_loss
from reflow.api.nn.losses import log_poisson_loss as log_poisson_loss
from reflow.api.nn.losses import scale_regularization_loss as scale_regularization_loss
from reflow.api.nn.pool import avg_pool as avg_pool_v2
from reflow.api.nn.pool import avg_pool1d as avg_pool1d
from reflow.api.nn.pool import avg_pool3d as avg_pool3d
from reflow.api.nn.pool import max_pool as max_pool_v2
from reflow.api.nn.pool import max_pool1d as max_pool1d
from reflow.api.nn.pool import max_pool2d as max_pool2d
from reflow.api.nn.pool import max_pool3d as max_pool3d
from reflow.api.nn.statistics import batch_normalization as batch_normalization
from reflow.api.nn.statistics import bias_add as bias_add
from reflow.api.nn.statistics import l2_normalize as l2_normalize
from reflow.api.nn.statistics import local_response_normalization as local_response_normalization
from reflow.api.nn.statistics import normalize_moments as normalize_moments
from reflow.api.nn.statistics import zero_fraction as zero_fraction
from reflow.compat.convolutions import avg_pool as avg_pool
from reflow.compat.convolutions import avg_pool2d as avg_pool2d
from reflow.compat.convolutions import conv1d as conv1d
from reflow.compat.convolutions import conv2d as conv2d
from reflow.compat.convolutions import conv2d_backprop_filter as conv2d_backprop_filter
from reflow.compat.convolutions import conv2d_backprop_input as conv2d_backprop_input
from reflow.compat.convolutions import conv2d_transpose as conv2d_transpose
from reflow.compat.convolutions import conv3d as conv3d
from reflow.compat.convolutions import conv3d_transpose as conv3d_transpose
from reflow.compat.convolutions import convolution as convolution
from reflow.compat.convolutions import depthwise_conv2d as depthwise_conv2d
from reflow.compat.convolutions import depthwise_conv2d_native as depthwise_conv2d_native
from reflow.compat.convolutions import dilation2d as dilation2d
from reflow.compat.convolutions import erosion2d as erosion2d
from reflow.compat.convolutions import max_pool as max_pool
from reflow.compat.convolutions import max_pool_with_argmax as max_pool_with_argmax
from reflow.compat.convolutions import pool as pool
from reflow.compat.convolutions import separable_conv2d as separable_conv2d
from reflow.compat.ctc import ctc_beam_search_decoder_v1 as ctc_beam_search_decoder
from reflow.compat.ctc import ctc_loss_v1 as ctc_loss
from reflow.compat.embeddings import embedding_lookup as embedding_lookup
from reflow.compat.embeddings import embedding_lookup_sparse as embedding_lookup_sparse
from reflow.compat.embeddings import nce_loss as nce_loss
from reflow.compat.embeddings import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from reflow.compat.embeddings import sampled_softmax_loss as sampled_softmax_loss
from reflow.compat.functions import space_to_batch as space_to_batch
from reflow.compat.nn.cross_entropies import log_softmax as log_softmax
from reflow.compat.nn.cross_entropies import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from reflow.compat.nn.cross_entropies import softmax as softmax
from reflow.compat.nn.cross_entropies import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from reflow.compat.nn.cross_entropies import (
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
)
from reflow.compat.nn.cross_entropies import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from reflow.compat.nn.training import dropout as dropout
from reflow.compat.nn.training import fused_batch_norm as fused_batch_norm
from reflow.compat.older_names import relu_layer as relu_layer
from reflow.compat.older_names import xw_plus_b as xw_plus_b
from reflow.compat.op_functions import conv3d_backprop_filter as conv3d_backprop_filter
from reflow.compat.op_functions import quantized_avg_pool as quantized_avg_pool
from reflow.compat.op_functions import quantized_conv2d as quantized_conv2d
from reflow.compat.op_functions import quantized_max_pool as quantized_max_pool
from reflow.compat.reordered import batch_norm_with_global_normalization as batch_norm_with_global_normalization
from reflow.compat.reordered import crelu as crelu
from reflow.compat.reordered import depth_to_space as depth_to_space
from reflow.compat.reordered import in_top_k as in_top_k
from reflow.compat.reordered import moments as moments
from reflow.compat.reordered import space_to_depth as space_to_depth
from reflow.compat.reordered import sufficient_statistics as sufficient_statistics
from reflow.compat.reordered import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from reflow.compat.reordered import weighted_moments as weighted_moments
from reflow.compat.rnn.loops import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
from reflow.compat.rnn.loops import dynamic_rnn as dynamic_rnn
from reflow.compat.rnn.loops import raw_rnn as raw_rnn
from reflow.compat.rnn.loops import static_bidirectional_rnn as static_bidirectional_rnn
from reflow.compat.rnn.loops import static_rnn as static_rnn
from reflow.compat.rnn.loops import static_state_saving_rnn as static_state_saving_rnn
from reflow.public.compat.v1.nn import experimental as experimental
from reflow.public.compat.v1.nn import rnn_cell as rnn_cell

conv3d_backprop_filter_v2 = conv3d_backprop_filter
depthwise_conv2d_native_backprop_filter = depthwise_conv2d_backprop_filter
depthwise_conv2d_native_backprop_input = depthwise_conv2d_backprop_input
lrn = local_response_normalization
swish = silu

__all__ = [
    "all_candidate_sampler", "approx_max_k", "approx_min_k", "atrous_conv2d", "atrous_conv2d_transpose", "avg_pool",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "avg_pool_v2", "batch_norm_with_global_normalization",
    "batch_normalization", "bias_add", "bidirectional_dynamic_rnn", "collapse_repeated", "compute_accidental_hits",
    "compute_average_loss", "conv1d", "conv1d_transpose", "conv2d", "conv2d_backprop_filter", "conv2d_backprop_input",
    "conv2d_transpose", "conv3d", "conv3d_backprop_filter", "conv3d_backprop_filter_v2", "conv3d_transpose",
    "conv_transpose", "convolution", "crelu", "ctc_beam_search_decoder", "ctc_beam_search_decoder_v2",
    "ctc_greedy_decoder", "ctc_loss", "ctc_loss_v2", "ctc_unique_labels", "depth_to_space", "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter", "depthwise_conv2d_backprop_input", "depthwise_conv2d_native",
    "depthwise_conv2d_native_backprop_filter", "depthwise_conv2d_native_backprop_input", "dilation2d", "dropout",
    "dynamic_rnn", "elu", "embedding_lookup", "embedding_lookup_sparse", "erosion2d", "experimental",
    "fixed_unigram_candidate_sampler", "fractional_avg_pool", "fractional_max_pool", "fused_batch_norm", "in_top_k",
    "l2_loss", "l2_normalize", "leaky_relu", "learned_unigram_candidate_sampler", "local_response_normalization",
    "log_poisson_loss", "log_softmax", "log_uniform_candidate_sampler", "lrn", "max_pool", "max_pool1d", "max_pool2d",
    "max_pool3d", "max_pool_v2", "max_pool_with_argmax", "moments", "nce_loss", "normalize_moments", "pool",
    "quantized_avg_pool", "quantized_conv2d", "quantized_max_pool", "raw_rnn", "relu", "relu6", "relu_layer",
    "rnn_cell", "safe_embedding_lookup_sparse", "sampled_softmax_loss", "scale_regularization_loss", "selu",
    "separable_conv2d", "sigmoid", "sigmoid_cross_entropy_with_logits", "silu", "softmax",
    "softmax_cross_entropy_with_logits", "softmax_cross_entropy_with_logits_v2", "softplus", "softsign",
    "space_to_batch", "space_to_depth", "sparse_softmax_cross_entropy_with_logits", "static_bidirectional_rnn",
    "static_rnn", "static_state_saving_rnn", "sufficient_statistics", "swish", "tanh", "top_k",
    "uniform_candidate_sampler", "weighted_cross_entropy_with_logits", "weighted_moments", "with_space_to_batch",
    "xw_plus_b", "zero_fraction",
]
