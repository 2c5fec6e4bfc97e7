"""Charts, as SVG and as lines of characters."""
