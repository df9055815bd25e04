"""Make the jumping lamp jump, on a page for the browser; or give a tour of what sixd computes.

The lamp of the tutorial on forward dynamics crouches, jumps, flies and lands under a small controller. The page
plays its motion without a network.
"""

from __future__ import annotations

import argparse

from sixd.cli.command import Command, register
from sixd.cli.outputs import PAGES, need_writable, open_page
from sixd.cli.tour import tour

__all__ = ["DEMO", "arguments", "run"]


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", default="jumping_lamp.html", metavar="FILE", help="the page to write")
    parser.add_argument("--open", action="store_true", help="open the page in the browser")
    parser.add_argument("--tour", action="store_true", help="print dynamics, batches and kinematics instead")
    parser.epilog = "examples:\n  sixd demo --open\n  sixd demo --tour\n"


def run(options: argparse.Namespace) -> None:
    if options.tour:
        tour()
        return
    from sixd.cli.lamp import hop, story

    need_writable(options.out, "--out", PAGES)
    print("A lamp jumps: simulated in compiled code, with contact, controller and books of energy.\n")
    motion = hop()
    print(story(motion))
    motion.save_html(options.out, title="jumping lamp")
    print(f"\nThe page is {options.out}: open it in a browser, it needs no network.")
    if options.open:
        open_page(options.out)


DEMO = register(Command("demo", __doc__, arguments, run))
