"""What sixd knows of the process it runs in: which sources were imported, and what forks must not interrupt."""
