"""Names of `tensorflow.tools` that libraries use: marks for generated documentation."""
