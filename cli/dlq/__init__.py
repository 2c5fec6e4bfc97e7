"""The dead-letter queue."""
