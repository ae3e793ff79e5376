"""Partitioned version 1 variables, and partitioners."""
