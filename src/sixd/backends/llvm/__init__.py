"""Machine code through LLVM: functions that compute several samples at once in vector registers.

A *block* is the code that computes W samples at once; each sample has its own *lane* of the vectors. NumPy and Python
enter through the inner loops of a gufunc (batches) and the single call (one state), which call blocks. Start with
`emit` for programs and with `rolled_body` for loop programs.
"""
