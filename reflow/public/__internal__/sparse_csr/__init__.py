# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.__internal__.sparse_csr`."""

from reflow.api.framework.internal import csr_sparse_matrix_to_sparse_tensor as csr_sparse_matrix_to_sparse_tensor
from reflow.api.framework.internal import sparse_matrix_sparse_mat_mul as sparse_matrix_sparse_mat_mul
from reflow.api.framework.internal import sparse_tensor_to_csr_sparse_matrix as sparse_tensor_to_csr_sparse_matrix
