"""`pytest -p reflow.pytest_plugin`: `import tensorflow` in the tests imports Reflow.

`-p` loads a plugin before conftest files and test modules are imported, so importing this file activates the drop-in.
"""

from reflow.core import version
from reflow.drop_in.install import install_as_tensorflow

install_as_tensorflow()


def pytest_report_header() -> str:
    """One line at the top of the report: numbers from Reflow must not be taken for TensorFlow's."""
    return f"tensorflow: Reflow (as {version.TENSORFLOW})"
