"""Administration: MQSC and PCF command servers, definitions, authority."""
