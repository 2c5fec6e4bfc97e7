"""Structures that may stand in front of a message's body, one file each."""
