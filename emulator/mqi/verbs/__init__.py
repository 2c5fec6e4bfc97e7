"""What each call of the MQI does."""
