"""Run test files with pytest, as a library's own runner does: absl's flags are taken as parsed, so that tests may read
them.

    python -m reflow tools/circle_programs/run_tests.py FILE...
"""

import sys

import pytest
from absl import flags

if __name__ == "__main__":
    flags.FLAGS.mark_as_parsed()
    options = ["-q", "-rA", "-p", "no:cacheprovider", "--import-mode=importlib", "--continue-on-collection-errors"]
    sys.exit(pytest.main([*options, *sys.argv[1:]]))
