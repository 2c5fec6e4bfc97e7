"""Messages in another code page and encoding: MQGMO_CONVERT."""
