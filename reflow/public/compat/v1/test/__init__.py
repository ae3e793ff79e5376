# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.test`."""

from reflow.api.benchmark import Benchmark as Benchmark
from reflow.api.benchmark import benchmark_config as benchmark_config
from reflow.api.benchmark import test_src_dir_path as test_src_dir_path
from reflow.api.framework.small_namespaces import gpu_device_name as gpu_device_name
from reflow.api.framework.small_namespaces import is_built_with_cuda as is_built_with_cuda
from reflow.api.framework.small_namespaces import is_built_with_rocm as is_built_with_rocm
from reflow.api.framework.small_namespaces import is_built_with_xla as is_built_with_xla
from reflow.api.framework.small_namespaces import is_gpu_available as is_gpu_available
from reflow.api.test_case import get_temp_dir as get_temp_dir
from reflow.api.test_case import main as main
from reflow.api.test_helpers import disable_with_predicate as disable_with_predicate
from reflow.api.test_helpers import is_cpu_target_available as is_cpu_target_available
from reflow.api.test_helpers import with_eager_op_as_function as with_eager_op_as_function
from reflow.compat.sessions.testing import StubOutForTesting as StubOutForTesting
from reflow.compat.sessions.testing import TestCase as TestCase
from reflow.compat.sessions.testing import assert_equal_graph_def as assert_equal_graph_def
from reflow.compat.sessions.testing import compute_gradient as compute_gradient
from reflow.compat.sessions.testing import compute_gradient_error as compute_gradient_error
from reflow.compat.sessions.testing import mock as mock
from reflow.distribute.server import create_local_cluster as create_local_cluster
from reflow.public.compat.v1.test import experimental as experimental

is_built_with_gpu_support = is_built_with_cuda
