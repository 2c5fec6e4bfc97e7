"""The forms of -o: tables, JSON, CSV and the others."""
