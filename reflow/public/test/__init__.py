# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.test`: test cases, and what this build can test."""

from reflow.api.benchmark import Benchmark as Benchmark
from reflow.api.benchmark import benchmark_config as benchmark_config
from reflow.api.framework.small_namespaces import gpu_device_name as gpu_device_name
from reflow.api.framework.small_namespaces import is_built_with_cuda as is_built_with_cuda
from reflow.api.framework.small_namespaces import is_built_with_cuda as is_built_with_gpu_support
from reflow.api.framework.small_namespaces import is_built_with_rocm as is_built_with_rocm
from reflow.api.framework.small_namespaces import is_built_with_xla as is_built_with_xla
from reflow.api.framework.small_namespaces import is_gpu_available as is_gpu_available
from reflow.api.gradient_checks import compute_gradient as compute_gradient
from reflow.api.test_case import TestCase as TestCase
from reflow.api.test_case import main as main

__all__ = [
    "Benchmark", "TestCase", "benchmark_config", "compute_gradient", "gpu_device_name", "is_built_with_cuda",
    "is_built_with_gpu_support", "is_built_with_rocm", "is_built_with_xla", "is_gpu_available", "main",
]
