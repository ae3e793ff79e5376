"""`python -m reflow.native` builds the kernels in C++ now, or says why not."""

from reflow.native import CannotBuild, built

try:
    print(built())
except CannotBuild as error:
    print(f"not built, so programs use XLA's own operations: {error}")
