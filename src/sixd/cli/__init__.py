"""The command ``sixd``: each subcommand is one file here and one entry of `sixd.cli.main.COMMANDS`."""
