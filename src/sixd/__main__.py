"""``python -m sixd`` is the command ``sixd``."""

import sys

from sixd.cli.main import main

sys.exit(main())
