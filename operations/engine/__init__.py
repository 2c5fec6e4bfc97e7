"""The plan of an operation, and the loop over units of work that carries it out."""
