"""What an editor asks of a script: findings, fixes, hover texts, completions; pure functions."""
