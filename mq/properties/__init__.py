"""Message properties outside an MQRFH2, and what an MQPD says of one."""
