"""`mqtriage mcp`: what an assistant may ask, over the Model Context Protocol."""
