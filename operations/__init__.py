"""How messages are removed and where they go, with a plan, a journal and an archive."""
