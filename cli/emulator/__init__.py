"""Queue managers in a file."""
