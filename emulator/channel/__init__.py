"""IBM MQ's client channel over TCP, as clients for Java use it: segments, calls, delivery."""
