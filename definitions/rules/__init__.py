"""The rule catalogue: an estate in, findings out; pure."""
