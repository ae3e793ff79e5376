"""`tensorflow.python.autograph.core.converter`: the rewriter's base classes. `Feature` is Reflow's, which `tf.function` takes."""

from malt.core.converter import STANDARD_OPTIONS as STANDARD_OPTIONS
from malt.core.converter import Base as Base
from malt.core.converter import ConversionOptions as ConversionOptions
from malt.core.converter import ProgramContext as ProgramContext
