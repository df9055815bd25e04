"""The command ``sixd``: a subcommand is one file here, which registers a `Command`, and its line below."""

from sixd.cli.bench import BENCH as BENCH
from sixd.cli.cache import CACHE as CACHE
from sixd.cli.check import CHECK as CHECK
from sixd.cli.command import COMMANDS as COMMANDS
from sixd.cli.compare import COMPARE as COMPARE
from sixd.cli.completion import COMPLETION as COMPLETION
from sixd.cli.demo import DEMO as DEMO
from sixd.cli.eval import EVAL as EVAL
from sixd.cli.export import EXPORT as EXPORT
from sixd.cli.info import INFO as INFO
from sixd.cli.simulate import SIMULATE as SIMULATE
from sixd.cli.view import VIEW as VIEW
