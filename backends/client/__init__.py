"""The real end of the port: a queue manager reached through pymqi, or through IBM's own ibmmq.

Both packages have the same classes, so the code is one; `library` imports whichever is there, and
nothing outside this package does.
"""
