"""The command ``sixd``: a subcommand is one file here, which registers a `Command`, and its line below."""

from sixd.cli.cache import CACHE as CACHE
from sixd.cli.command import COMMANDS as COMMANDS
from sixd.cli.eval import EVAL as EVAL
