"""The conversions, a file for each family of operators."""
