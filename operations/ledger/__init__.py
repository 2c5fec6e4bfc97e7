"""What was planned and what became of it, on disk before it is done."""
