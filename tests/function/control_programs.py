"""All control flow programs: importing the files registers them."""

from tests.function import (  # noqa: F401
    programs_arrays,
    programs_branches,
    programs_effects,
    programs_loops,
    programs_maps,
    programs_mixed,
    programs_vectorized,
)
from tests.function.control_table import PROGRAMS  # noqa: F401
