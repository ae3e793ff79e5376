"""`tensorflow.tools.compatibility`: what programs of version 1 must change."""
