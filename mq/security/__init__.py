"""Who may do what: authority records and channel authentication records, as rules."""
