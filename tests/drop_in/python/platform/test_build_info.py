"""`reflow/drop_in/python/platform/build_info.py`."""

import reflow as tf
from reflow.drop_in.python.platform.build_info import build_info


def test_it_is_the_public_dictionary_in_the_order_of_tensorflow():
    assert build_info == tf.sysconfig.get_build_info()
    assert list(build_info)[:3] == ["is_cuda_build", "is_rocm_build", "is_tensorrt_build"]
