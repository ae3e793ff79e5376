"""Boosted trees: columns in buckets, ensembles of trees as arrays, how they grow, and their estimators."""
