"""`python -m reflow.native` builds the kernels in C++ now, or says why not."""

from reflow.native.build import CannotBuild, built

try:
    print(built())
except CannotBuild:
    try:
        print(built(again=True))  # the compiler may have been repaired since it failed
    except CannotBuild as error:
        print(f"not built, so programs use XLA's own operations: {error}")
