"""The records of ops on queues, barriers, accumulators, stages, stacks and readers."""
