"""Every word on the screen, from one plain catalogue file per language (``en.toml``).

A text is found by its key (``note.beaten``) and may have fields in braces. To add a language, add a file
with the same keys and the same fields.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources


class Words:
    """The texts of one language. Raises :class:`KeyError` for a key that it does not hold."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = dict(texts)

    def __call__(self, key: str, /, **fields: object) -> str:
        """The text of *key* with its *fields* filled in."""
        text = self._texts[key]
        return text.format(**fields) if fields else text

    def __contains__(self, key: str) -> bool:
        return key in self._texts

    def keys(self) -> list[str]:
        """All keys, in the order of the file."""
        return list(self._texts)

    def number(self, value: float) -> str:
        """*value* to one tenth, as this language writes it: ``12.3``."""
        return f"{value:.1f}".replace(".", self._texts["decimal_point"])

    def changed(self, texts: Mapping[str, str]) -> Words:
        """These words with some *texts* exchanged."""
        return Words({**self._texts, **texts})


def _flat(tree: Mapping[str, object], path: str = "") -> dict[str, str]:
    texts: dict[str, str] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            texts.update(_flat(value, f"{path}{key}."))
        else:
            texts[path + key] = str(value)
    return texts


@cache
def words(language: str = "en") -> Words:
    """The catalogue of *language* (``en``); raises :class:`FileNotFoundError` if there is none."""
    text = resources.files(__name__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return Words(_flat(tomllib.loads(text)))
