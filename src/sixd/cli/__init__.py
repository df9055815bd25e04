"""The command ``sixd``: a subcommand is one file here, which registers a `Command`, and its line below."""

from sixd.cli.cache import CACHE as CACHE
from sixd.cli.check import CHECK as CHECK
from sixd.cli.command import COMMANDS as COMMANDS
from sixd.cli.compare import COMPARE as COMPARE
from sixd.cli.eval import EVAL as EVAL
from sixd.cli.info import INFO as INFO
