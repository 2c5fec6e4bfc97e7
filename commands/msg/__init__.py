"""`mqtriage msg`: messages on any queue."""
