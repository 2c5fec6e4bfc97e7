"""IBM's rules table of the dead-letter queue handler."""
