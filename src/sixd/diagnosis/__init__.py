"""What looks wrong in a robot: the linter reads its data, the audit compares the algorithms on it."""
