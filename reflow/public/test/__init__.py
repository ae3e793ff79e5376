# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.test`: test cases, and what this build can test."""

from reflow.api.benchmark import Benchmark as Benchmark
from reflow.api.benchmark import benchmark_config as benchmark_config
from reflow.api.framework.small_namespaces import gpu_device_name as gpu_device_name
from reflow.api.framework.small_namespaces import is_built_with_cuda as is_built_with_cuda
from reflow.api.framework.small_namespaces import is_built_with_rocm as is_built_with_rocm
from reflow.api.framework.small_namespaces import is_built_with_xla as is_built_with_xla
from reflow.api.framework.small_namespaces import is_gpu_available as is_gpu_available
from reflow.api.gradient_checks import compute_gradient as compute_gradient
from reflow.api.test_case import main as main
from reflow.api.test_helpers import assert_equal_graph_def as assert_equal_graph_def
from reflow.api.test_helpers import disable_with_predicate as disable_with_predicate
from reflow.api.test_helpers import is_cpu_target_available as is_cpu_target_available
from reflow.api.test_helpers import with_eager_op_as_function as with_eager_op_as_function
from reflow.compat.sessions.testing import TestCase as TestCase
from reflow.distribute.server import create_local_cluster as create_local_cluster
from reflow.public.test import experimental as experimental

is_built_with_gpu_support = is_built_with_cuda
