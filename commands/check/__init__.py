"""`mqtriage check`: queue managers held against thresholds."""
