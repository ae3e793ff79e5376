"""`tf.contrib.seq2seq`: decoders of sequences, what feeds them, attention, and beam search."""
