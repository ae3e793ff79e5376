"""`tensorflow.python.autograph.utils.ag_logging`: what AutoGraph says about its conversions."""

from malt.utils.ag_logging import error as error
from malt.utils.ag_logging import get_verbosity as get_verbosity
from malt.utils.ag_logging import has_verbosity as has_verbosity
from malt.utils.ag_logging import log as log
from malt.utils.ag_logging import warning as warning
