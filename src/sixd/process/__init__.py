"""What sixd knows of the process it runs in: the sources that were imported, and what must be done around forks."""
