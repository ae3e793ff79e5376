# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""`tf.sysconfig`: facts about this build."""

from reflow.api.framework.small_namespaces import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from reflow.api.framework.small_namespaces import CXX_VERSION as CXX_VERSION
from reflow.api.framework.small_namespaces import MONOLITHIC_BUILD as MONOLITHIC_BUILD
from reflow.api.framework.small_namespaces import get_build_info as get_build_info
from reflow.api.framework.small_namespaces import get_compile_flags as get_compile_flags
from reflow.api.framework.small_namespaces import get_include as get_include
from reflow.api.framework.small_namespaces import get_lib as get_lib
from reflow.api.framework.small_namespaces import get_link_flags as get_link_flags
