"""Gets and browses, and what is discarded on the way."""
