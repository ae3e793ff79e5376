"""The tests. What test files share is imported as a module of this package: `from tests.ops import numeric`."""
