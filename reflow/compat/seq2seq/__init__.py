"""`tf.contrib.seq2seq`: sequence decoders, their helpers, attention, and beam search."""
