"""PCF: messages of commands, replies and events, and commands as MQSC."""
