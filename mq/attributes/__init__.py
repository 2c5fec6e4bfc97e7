"""The attributes of MQ objects: keywords, values, defaults, and where they are documented."""
