"""How a message is taken and where it goes, with a plan, a journal and an archive."""
