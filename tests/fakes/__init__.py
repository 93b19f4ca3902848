"""Back-ends that stand in for hardware."""
