"""Queue-sharing groups and routes to other queue managers."""
