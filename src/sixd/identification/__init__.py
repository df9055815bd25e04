"""From measurements to a corrected robot: which parameters can be known, motions that show them, fits, calibration."""

from sixd.identification.base import base_parameters
from sixd.identification.calibrate import Calibration, calibrate
from sixd.identification.combinations import Combinations
from sixd.identification.excite import Excitation, excite
from sixd.identification.fit import Fit, fit

__all__ = ["Calibration", "Combinations", "Excitation", "Fit", "base_parameters", "calibrate", "excite", "fit"]
