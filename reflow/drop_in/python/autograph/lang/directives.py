"""`tensorflow.python.autograph.lang.directives`: calls that the rewriter reads from the source.

They do nothing themselves.
"""

from malt.lang.directives import UNSPECIFIED as UNSPECIFIED
from malt.lang.directives import set_element_type as set_element_type

from reflow.api.autograph.status import set_loop_options as set_loop_options
