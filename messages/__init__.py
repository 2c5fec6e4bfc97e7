"""One message as a record, and filters on it."""
