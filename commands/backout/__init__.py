"""`mqtriage backout`: poison messages and the queues they go to."""
