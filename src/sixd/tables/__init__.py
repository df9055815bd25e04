"""Tables of states in files: a format is one file here, which registers a `TableFormat`, and its line below."""

from sixd.tables.contract import FORMATS as FORMATS
from sixd.tables.contract import TableFormat as TableFormat
from sixd.tables.contract import TableReader as TableReader
from sixd.tables.contract import TableWriter as TableWriter
from sixd.tables.contract import create_table as create_table
from sixd.tables.contract import open_table as open_table
from sixd.tables.contract import register as register

# isort: split
from sixd.tables.csv import CSV as CSV
from sixd.tables.npz import NPZ as NPZ
from sixd.tables.parquet import PARQUET as PARQUET

# isort: split
from sixd.tables.fields import Field as Field
from sixd.tables.fields import Place as Place
from sixd.tables.fields import places as places
from sixd.tables.fields import state_field as state_field
from sixd.tables.fields import time_places as time_places
from sixd.tables.fields import unread_times as unread_times
