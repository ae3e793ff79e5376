"""The conversions, one file per family of operators."""
