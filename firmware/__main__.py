"""``python -m firmware``: the same as the command ``speed-cabinet``."""

import sys

from firmware.cli import main

sys.exit(main())
