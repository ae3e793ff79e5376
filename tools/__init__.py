"""Scripts for developers, run from the repository's folder as modules: `python -m tools.golden.ops`."""
