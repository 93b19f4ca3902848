"""The doctor: everything between the plug and the first touch, looked at one by one, with what to do.

Each check is a function of a :class:`~firmware.system.patient.Patient` and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from firmware.system import checks_parts, checks_service, checks_system
from firmware.system.patient import Finding, Patient, State

Check = Callable[[Patient], Iterator[Finding]]

CHECKS: Final[tuple[Check, ...]] = (
    checks_system.system,
    checks_system.python,
    checks_system.packages,
    checks_system.system_packages,
    checks_system.groups,
    checks_parts.settings,
    checks_parts.lines,
    checks_parts.screen,
    checks_parts.sound,
    checks_service.storage,
    checks_service.root,
    checks_service.service,
    checks_service.watchdog,
    checks_system.clock,
    checks_system.power,
)


def examine(patient: Patient, checks: Iterable[Check] = CHECKS) -> list[Finding]:
    """Every finding, in the order in which things depend on each other; a check that fails is one too."""
    findings: list[Finding] = []
    for check in checks:
        try:
            findings += check(patient)
        except Exception as error:
            # Whatever is broken here, the rest is looked at.
            text = f"could not be looked at: {type(error).__name__}: {error}"
            findings.append(Finding(check.__name__, State.WRONG, text, "ask as root; else report this"))
    return findings


def is_well(findings: Iterable[Finding]) -> bool:
    """Is nothing wrong?"""
    return all(finding.state is not State.WRONG for finding in findings)
