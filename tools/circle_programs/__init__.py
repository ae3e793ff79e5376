"""The quick start of each library that `tools/circle.py` runs, on `import tensorflow`.

Each asserts what a user would look at.
"""
