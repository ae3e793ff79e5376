"""Command-line flags of version 1 programs."""
