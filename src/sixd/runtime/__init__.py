"""Running compiled and plain code on arrays: coercing arguments, batches, results as arrays, threads."""
