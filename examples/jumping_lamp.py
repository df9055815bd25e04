"""The jumping lamp of FDSV Figs. 1 and 2: it crouches, jumps, flies and lands, on a page for the browser.

    python examples/jumping_lamp.py lamp.html

It is what ``sixd demo`` and ``make demo`` show; its code is in ``src/sixd/cli/lamp.py``.
"""

import sys

from sixd.cli.lamp import hop, story

if __name__ == "__main__":
    motion = hop()
    print(story(motion))
    motion.save_html(sys.argv[1] if len(sys.argv) > 1 else "jumping_lamp.html", title="jumping lamp")
