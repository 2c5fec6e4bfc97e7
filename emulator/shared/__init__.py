"""Queue-sharing groups and the way to other queue managers."""
