"""Variables of version 1 that are kept in parts, and what says into how many."""
