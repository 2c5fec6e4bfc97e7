"""Resume, undo, and the carrying out of a plan file."""
