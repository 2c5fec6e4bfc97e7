"""Rules tables for dead letters and poison messages: which rule, where to, and when again."""
