"""The command ``speed-cabinet``: reads what was asked for, and calls the room that does it.

Whatever a command is given wrong ends with one line on standard error and exit code 2. Rooms are
imported by the command that needs them, so that each starts fast.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firmware import __version__
from firmware.errors import CabinetError
from firmware.rules import GAMES, UnknownGame

if TYPE_CHECKING:
    from firmware.settings import Settings


CABINET_OPTIONS = ("settings", "record", "edges", "seed", "game", "profile")
BENCHES = {
    "rules": "how many commands a second they take, beside python-chess",
    "show": "what a picture costs",
    "latency": "from a press to verdict, lamp and picture, beside a bare timer",
    "fairness": "who is robbed, by the cabinet and by the ways in which others take presses",
}
PROFILE_HELP = "the buttons of a named cabinet: 4-, 5-, 6-, 7-, 8- or 10-buttons"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code: 0 well, 1 not well, 2 asked for wrongly."""
    parser = _parser()
    asked = parser.parse_args(arguments)
    if asked.run is not _daemon:
        for name in CABINET_OPTIONS:
            if getattr(asked, f"cabinet_{name}") is not None:
                parser.error(f"--{name} belongs to the cabinet itself; a command has its own, after it")
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that knows no card signs shall still be told the rest.
        sys.stdout.reconfigure(errors="replace")
    try:
        run: Callable[[argparse.Namespace], int] = asked.run
        return run(asked)
    except (CabinetError, UnknownGame) as error:
        print(f"speed-cabinet: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        # The reader has seen enough (`| head`): nobody is left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"speed-cabinet: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="speed-cabinet",
        description="California Speed for two. Without a command: the cabinet itself; on a desktop a window "
        "with the keyboard as buttons.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    own: dict[str, dict[str, Any]] = {
        "settings": {"type": Path, "metavar": "FILE", "help": "the settings file (TOML)"},
        "record": {"type": Path, "metavar": "FILE", "help": "write every edge to FILE (JSON Lines)"},
        "edges": {"type": Path, "metavar": "FILE", "help": "play the edges in FILE again; keeps no results"},
        "seed": {"type": _whole(0), "metavar": "NUMBER", "help": "deal the hands that follow from it"},
        "game": {"metavar": "GAME", "help": f"play one of {', '.join(GAMES)}"},
        "profile": {"metavar": "NAME", "help": PROFILE_HELP},
    }
    for name in CABINET_OPTIONS:
        parser.add_argument(f"--{name}", dest=f"cabinet_{name}", **own[name])
    parser.set_defaults(run=_daemon)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    demo = commands.add_parser("demo", help="a match between two CPU players")
    demo.add_argument("--game", default="rank_or_suit", help=f"one of {', '.join(GAMES)}")
    demo.add_argument("--seed", type=_whole(0), default=1, help="the match that follows from this number")
    demo.add_argument("--fast", action="store_true", help="narrate in the terminal without waiting")
    demo.add_argument("--picture", type=Path, metavar="FILE", help="save a picture of a table in play (PNG)")
    demo.add_argument("--json", action="store_true", help="print the events as JSON Lines instead")
    demo.set_defaults(run=_demo)

    replay = commands.add_parser("replay", help="play a journal again and tell what happened")
    replay.add_argument("file", type=Path, help="a journal, as the cabinet keeps one for each hand")
    _forms(replay, json="every event as JSON Lines", notation="every event as the rules write it")
    replay.set_defaults(run=_replay)

    simulate = commands.add_parser("simulate", help="play many hands between perfect players")
    simulate.add_argument("game", help=f"one of {', '.join(GAMES)}")
    simulate.add_argument("--hands", type=_whole(1), default=1000, help="how many (default 1000)")
    simulate.add_argument("--seed", type=_whole(0), default=1, help="the hands that follow from this number")
    simulate.add_argument("--jobs", type=_whole(1), default=1, help="processes (default 1)")
    simulate.add_argument("--json", action="store_true", help="print one JSON object")
    simulate.set_defaults(run=_simulate)

    bench = commands.add_parser("bench", help="measure rules, show, latency or fairness")
    measured = bench.add_subparsers(title="what to measure", metavar="WHAT", required=True)
    for what, told in BENCHES.items():
        one = measured.add_parser(what, help=told)
        sizes = one.add_mutually_exclusive_group()
        sizes.add_argument("--seconds", type=_whole(1), default=5, help="about how long (default 5)")
        if what == "fairness":
            sizes.add_argument(
                "--races",
                type=_whole(60),
                metavar="NUMBER",
                help="so many with a clear first, and a tenth as many of each other kind (at least 300)",
            )
            sizes.add_argument(
                "--live",
                type=_whole(1),
                metavar="NUMBER",
                help="so many as they happen instead, about eight a second, with every processor kept busy",
            )
        one.add_argument("--json", action="store_true", help="print one JSON object")
        one.set_defaults(run=_bench, what=what)

    export = commands.add_parser("export", help="print results and counters, or write them to a file")
    export.add_argument("file", type=Path, nargs="?", metavar="FILE", help="where to; left out: printed")
    _forms(export, json="as JSON", csv="as CSV")
    _settings_option(export)
    export.set_defaults(run=_export)

    wiring = commands.add_parser("wiring", help="what to solder where, for the settings")
    _settings_option(wiring)
    wiring.add_argument("--profile", metavar="NAME", help=PROFILE_HELP)
    wiring.add_argument("--json", action="store_true", help="print one JSON object")
    wiring.set_defaults(run=_wiring)

    doctor = commands.add_parser("doctor", help="what is wrong with this machine, and what to do")
    _settings_option(doctor)
    doctor.add_argument("--json", action="store_true", help="print one JSON list")
    doctor.set_defaults(run=_doctor)

    install = commands.add_parser("install", help="make this Pi start into the game (as root)")
    install.add_argument("--uninstall", action="store_true", help="make it what it was; results stay")
    install.add_argument("--dry-run", action="store_true", help="say what would be done, and do nothing")
    install.add_argument("--wheel", type=Path, metavar="FILE", help="install this, not the running version")
    install.add_argument("--find-links", type=Path, metavar="DIR", help="where packages are, without network")
    install.add_argument("--any-board", action="store_true", help="also where this is no Raspberry Pi")
    install.add_argument("--json", action="store_true", help="print one JSON object")
    install.set_defaults(run=_install)
    return parser


def _forms(parser: argparse.ArgumentParser, **forms: str) -> None:
    """Options that exclude one another: what is printed is meant for people unless one of them is given."""
    group = parser.add_mutually_exclusive_group()
    for name, told in forms.items():
        group.add_argument(f"--{name}", action="store_const", const=name, dest="form", help=told)


def _settings_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--settings", type=Path, metavar="FILE", help="the settings file (TOML)")


def _whole(least: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"found {text!r}, allowed are whole numbers from {least}")
        return number

    return parse


def _say_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False))


def _settings(asked: argparse.Namespace) -> Settings:
    from firmware import settings

    path = asked.settings or settings.usual_path()
    return settings.defaults() if path is None else settings.load(path)


def _daemon(asked: argparse.Namespace) -> int:
    from firmware.commands.daemon import Asked, run

    return run(
        Asked(
            settings=asked.cabinet_settings,
            record=asked.cabinet_record,
            edges=asked.cabinet_edges,
            seed=asked.cabinet_seed,
            game=asked.cabinet_game,
            profile=asked.cabinet_profile,
        )
    )


def _demo(asked: argparse.Namespace) -> int:
    from firmware.commands.demo import run

    return run(asked.game, asked.seed, is_fast=asked.fast, picture=asked.picture, as_json=asked.json)


def _replay(asked: argparse.Namespace) -> int:
    from firmware.commands.replay import run

    return run(asked.file, asked.form)


def _simulate(asked: argparse.Namespace) -> int:
    from firmware.commands.simulate import run

    return run(asked.game, asked.hands, asked.seed, jobs=asked.jobs, as_json=asked.json)


def _bench(asked: argparse.Namespace) -> int:
    if asked.what == "fairness":
        from firmware.commands.bench_fairness import run as run_fairness

        return run_fairness(asked.races, asked.seconds, asked.live, as_json=asked.json)
    from firmware.commands.bench import run

    return run(asked.what, asked.seconds, as_json=asked.json)


def _export(asked: argparse.Namespace) -> int:
    from firmware.commands.export import run
    from firmware.keep.keeper import state_directory
    from firmware.system.shipped import STATE

    given = _settings(asked).directory
    # Of the one who asks, else of the cabinet that the system runs.
    directories = [state_directory(), Path(STATE)] if given is None else [given]
    return run(directories, asked.file, asked.form)


def _wiring(asked: argparse.Namespace) -> int:
    from firmware.profiles import profile
    from firmware.system import wiring

    settings = _settings(asked) if asked.profile is None else profile(asked.profile)
    if asked.json:
        _say_json(wiring.as_dict(settings))
    else:
        print(wiring.as_text(settings))
    return 0


def _doctor(asked: argparse.Namespace) -> int:
    from firmware.commands.doctor import run

    return run(getattr(asked, "settings", None), as_json=asked.json)


def _install(asked: argparse.Namespace) -> int:
    from firmware.commands.install import Asked, run

    return run(
        Asked(
            wheel=asked.wheel,
            find_links=asked.find_links,
            is_uninstall=asked.uninstall,
            is_dry=asked.dry_run,
            as_json=asked.json,
            any_board=asked.any_board,
        )
    )
