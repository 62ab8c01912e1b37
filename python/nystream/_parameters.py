"""Constructors and docstrings made from fields: how one description serves three facades.

The parameters of a learner are the fields of one class, such as ``NonsAldParameters``, with a name,
a type and a default each. The learner itself and its regressors for scikit-learn and for river
inherit them; a facade that takes a parameter otherwise repeats its field. Type checkers and editors
read fields as they do those of a dataclass, and so see every constructor.

A parameter has its text in the docstring of a class that knows what it means: of the facade if it
means something else there, otherwise of the learner's parameters, otherwise of ``Parameters``,
which has those that mean the same everywhere. :func:`document` collects them.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, field, fields
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform as dataclass_transform
else:

    def dataclass_transform(**_):
        """Return a decorator that does nothing: what the real one does is for type checkers."""
        return lambda function: function


T = TypeVar("T")


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def parameters(cls: type[T]) -> type[T]:
    """Let subclasses take the fields of a class as parameters; this one has no constructor."""
    return dataclass(init=False, eq=False, repr=False, kw_only=True)(cls)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def stored(cls: type[T]) -> type[T]:
    """Make a constructor that stores each parameter under its name."""
    return dataclass(eq=False, repr=False, kw_only=True)(cls)


def signature(cls: type) -> inspect.Signature:
    """Return what the fields of a class say that its constructor takes, after the class."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return inspect.Signature(
        inspect.Parameter(
            field.name, kinds[bool(field.kw_only)], default=field.default, annotation=field.type
        )
        for field in fields(cls)  # type: ignore[arg-type]
    )


def document(cls: type, facade: type, remarks: str = "") -> None:
    """Complete the docstring of a class: remarks, texts of all parameters, inherited attributes.

    Texts of the classes of the facade, subclasses of its base class, come before those of others.
    """
    bases = sorted(cls.__mro__, key=lambda base: not issubclass(base, facade))
    head, own = _sections(cls)
    texts: dict[str, str] = {}
    attributes: dict[str, str] = {}
    for sections in (_sections(base)[1] for base in reversed(bases)):
        texts |= _entries(sections.get("Parameters", ""))
        attributes |= _entries(sections.get("Attributes", ""))
    names = [field.name for field in fields(cls)]
    all_sections = {
        "Parameters": _joined({name: texts[name] for name in names}),
        "Attributes": _joined(attributes),
        **{name: text for name, text in own.items() if name not in ("Parameters", "Attributes")},
    }
    parts = [f"{name}\n{'-' * len(name)}\n{text}" for name, text in all_sections.items() if text]
    cls.__doc__ = "\n\n".join([head, *filter(None, [remarks]), *parts]) + "\n"


def _sections(cls: type) -> tuple[str, dict[str, str]]:
    """Return what a docstring begins with, and its sections by name."""
    text = inspect.cleandoc(vars(cls).get("__doc__") or "")
    head, *rest = re.split(r"(?:^|\n)(\w+)\n-{3,}\n", text)
    return head.strip(), {
        name: body.strip("\n") for name, body in zip(rest[::2], rest[1::2], strict=True)
    }


def _entries(section: str) -> dict[str, str]:
    """Return the texts of a section by name; several names may share one."""
    blocks = [block.partition("\n") for block in re.split(r"\n(?=\S)", section) if block]
    return {name: text for names, _, text in blocks for name in names.split(", ")}


def _joined(texts: dict[str, str]) -> str:
    """Return the section of such texts: neighbours with the same text share it."""
    groups = groupby(texts, texts.__getitem__)
    return "\n".join(f"{', '.join(names)}\n{text}" for text, names in groups)
