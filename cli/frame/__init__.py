"""What commands share: the entry point, the tree, options, the flow of what changes anything."""
