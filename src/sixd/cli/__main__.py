"""``python -m sixd.cli`` is the command ``sixd``."""

import sys

from sixd.cli.main import main

sys.exit(main())
