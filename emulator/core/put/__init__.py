"""Puts: what a message becomes, and how it reaches its queue."""
