"""`mqtriage queue`: definitions, depth, and who has a queue open."""
