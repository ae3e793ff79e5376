"""`python -m reflow.native` builds the C++ kernels now, or says why it cannot."""

from reflow.native.build import CannotBuild, built

try:
    print(built())
except CannotBuild:
    try:
        print(built(again=True))  # the compiler may have been fixed since it failed
    except CannotBuild as error:
        print(f"not built, so programs use XLA's own operations: {error}")
