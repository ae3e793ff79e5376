"""The command line of a program of version 1."""
