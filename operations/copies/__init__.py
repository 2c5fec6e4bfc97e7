"""What is asked of an operation, and what the copy of a message looks like."""
