"""The end of the port over HTTPS: a queue manager reached through IBM MQ's REST API (mqweb).

Needs no MQ client. Source of what is asked and answered: IBM MQ documentation, "Administration
using the REST API" and "Messaging using the REST API".
"""
