"""The port to a queue manager, and its implementations."""
