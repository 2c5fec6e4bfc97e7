"""Topics, subscriptions and publications."""
