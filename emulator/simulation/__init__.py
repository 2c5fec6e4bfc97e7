"""A workload for emulated queue managers: what is planned (`plan`) and how it is driven (`run`)."""
