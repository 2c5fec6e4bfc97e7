"""The file of a queue manager: transactions, tables, and who may look at it now."""
