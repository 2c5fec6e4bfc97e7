"""Messages of a file: planned, then put a unit of work at a time."""
