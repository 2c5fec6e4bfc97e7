"""What falls due: delays, expiry, retries, triggers."""
