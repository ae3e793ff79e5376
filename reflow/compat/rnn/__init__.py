"""Version 1 recurrent networks: `tf.compat.v1.nn.rnn_cell`, `dynamic_rnn` and related functions."""
