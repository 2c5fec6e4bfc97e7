"""`mqtriage context`: connection settings, and what is in force."""
