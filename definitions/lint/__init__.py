"""What the rules say about an estate, less what is known."""
