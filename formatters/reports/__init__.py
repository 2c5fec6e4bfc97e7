"""Findings and check results for other programs: SARIF, JUnit, Nagios, Prometheus and others."""
