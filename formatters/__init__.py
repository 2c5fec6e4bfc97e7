"""Results to text. With `cli`, the only home of rich and tabulate."""
