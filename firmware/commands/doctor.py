"""``speed-cabinet doctor``: looks at the whole chain, and says what is wrong and what to do."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from firmware import settings as settings_room
from firmware.commands.screens import has_desktop
from firmware.errors import SettingsError
from firmware.keep.keeper import state_directory
from firmware.system import shipped
from firmware.system.doctor import examine, is_well
from firmware.system.machine import Machine
from firmware.system.patient import Finding, Patient, State, own_groups

LOOKS = {State.WELL: "green", State.WRONG: "bold red", State.NOT_HERE: "dim"}


def run(settings: Path | None, *, as_json: bool, patient: Patient | None = None) -> int:
    """Examine this machine and print what was found; returns the exit code: 1 if something is wrong."""
    findings = examine(patient or this_patient(settings))
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False))
    else:
        _print(findings)
    return 0 if is_well(findings) else 1


def this_patient(path: Path | None) -> Patient:
    """This machine, with the settings of the file at *path*, else of the usual one."""
    machine = Machine()
    complaint = None
    path = path or settings_room.usual_path()
    settings = settings_room.defaults()
    if path is not None:
        try:
            settings = settings_room.load(path)
        except SettingsError as error:
            complaint = str(error)
    is_installed = machine.path(shipped.UNIT).exists()
    directory = str(settings.directory or (shipped.STATE if is_installed else state_directory()))
    return Patient(
        machine=machine,
        settings=settings,
        complaint=complaint,
        directory=directory,
        user=os.geteuid() if hasattr(os, "geteuid") else -1,
        groups=own_groups(),
        has_desktop=has_desktop(),
    )


def _print(findings: list[Finding]) -> None:
    table = Table(show_lines=False, pad_edge=False)
    table.add_column("what")
    table.add_column("")
    table.add_column("found", overflow="fold")
    table.add_column("what to do", overflow="fold")
    for finding in findings:
        look = LOOKS[finding.state]
        state = f"[{look}]{finding.state}[/]"
        table.add_row(finding.check, state, escape(finding.found), escape(finding.to_do))
    console = Console()
    console.print(table)
    wrong = sum(finding.state is State.WRONG for finding in findings)
    console.print("All is well." if not wrong else f"Wrong: {wrong}.")
