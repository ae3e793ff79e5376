"""Boosted trees: bucketed features, ensembles of trees as arrays, their growth, and their estimators."""
