"""A queue manager for programs that link to the MQ C client: dispatcher, server and C library."""
