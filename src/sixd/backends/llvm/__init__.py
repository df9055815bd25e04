"""Machine code through LLVM: programs to functions that work on several samples at once in vector registers."""
