"""The live screen of `mqtriage top`: what it lists, who is asked, and how it is drawn."""
