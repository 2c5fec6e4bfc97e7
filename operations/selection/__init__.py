"""Which messages: chosen on a queue, planned, and kept in files where they are many."""
