"""`mqtriage analyze`: what months of snapshots and archives teach."""
