"""Recurrent networks of version 1: `tf.compat.v1.nn.rnn_cell`, `dynamic_rnn` and its relatives."""
