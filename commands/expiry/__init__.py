"""`mqtriage expiry`: what time messages have left, and what has expired."""
