"""`mqtriage dlq`: the dead-letter queue."""
