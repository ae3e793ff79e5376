"""Behaviour switches between version 1 and version 2: tensor equality, dimensions in shapes."""
