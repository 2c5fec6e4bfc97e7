"""The tables of a queue manager's file: the SQL of each stands in its file alone."""
