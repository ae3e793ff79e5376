"""`tensorflow.python.platform.build_info`: what this build can use, `tf.sysconfig.get_build_info` as a dictionary."""

import collections

from reflow.api.framework.small_namespaces import get_build_info

build_info = collections.OrderedDict(get_build_info())
