"""MQ's domain: pure functions and immutable records, standard library only."""
