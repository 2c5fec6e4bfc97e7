"""What `analyze report` takes of the jobs' tables, without holding them."""
