"""Constructors and docstrings made from fields: how one description serves three facades.

The parameters of a learner are the fields of one class, such as ``NonsAldParameters``, with a name,
a type and a default each. The learner itself and its regressors for scikit-learn and for river
inherit them; a facade that takes a parameter otherwise declares it anew. Type checkers and editors
read fields as they do those of a dataclass, and so see what every constructor takes.

A parameter has its text in the docstring of a class that knows what it means: of the facade if it
means something else there, otherwise of the learner's parameters, otherwise of ``Parameters``,
which has those that mean the same everywhere. :func:`document` collects them.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, dataclass, field, fields
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Self
    from typing_extensions import dataclass_transform as dataclass_transform
else:

    def dataclass_transform(**_):
        """Return a decorator that does nothing: the real one is for type checkers."""
        return lambda function: function


T = TypeVar("T")


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def parameters(cls: type[T]) -> type[T]:
    """Let subclasses take the fields of a class as parameters; this one has no constructor."""
    return dataclass(init=False, eq=False, repr=False, kw_only=True)(cls)


def store(cls: type) -> None:
    """Give a class a constructor that stores each parameter under its name."""
    dataclass(eq=False, repr=False, kw_only=True)(cls)


class Constructed:
    """A mixin left of a class of the core, whose constructor asks for the name of what it makes."""

    __slots__ = ()

    if TYPE_CHECKING:
        # To type checkers the fields of subclasses tell what these take.
        def __new__(cls, *args: Any, **params: Any) -> Self: ...


def construct(cls: type, base: Any) -> None:
    """Give a subclass of a class of the core a constructor that passes its parameters on.

    They can be read as attributes. Only what is given is passed on: the core has the defaults.
    """
    parameters(cls)
    names = [parameter.name for parameter in fields(cls)]
    for name in names:
        if name in vars(cls):
            delattr(cls, name)
        setattr(cls, name, vars(base).get(name) or _Read(name))
    cls.__new__ = staticmethod(_constructor(cls, base))  # type: ignore[method-assign]
    cls.__module__ = "nystream"


class _Read:
    """A parameter as an attribute of what was made with it, to be read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, thing: Any, owner: type) -> Any:
        return self if thing is None else thing.params[self.name]


def _constructor(cls: type, base: Any) -> Callable[..., Any]:
    name, expected = cls.__name__, _signature(cls)

    def __new__(cls: type, /, *args: Any, **params: Any) -> Any:  # noqa: N807
        try:
            given = expected.bind(*args, **params).arguments
        except TypeError as error:
            raise TypeError(f"{name}.__new__() {error}") from None
        return base.__new__(cls, name, **given)

    first = inspect.Parameter("cls", inspect.Parameter.POSITIONAL_ONLY)
    __new__.__signature__ = expected.replace(  # type: ignore[attr-defined]
        parameters=[first, *expected.parameters.values()]
    )
    return __new__


def _signature(cls: type) -> inspect.Signature:
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return inspect.Signature(
        [
            inspect.Parameter(
                one.name,
                kinds[bool(one.kw_only)],
                default=inspect.Parameter.empty if one.default is MISSING else one.default,
                annotation=one.type,
            )
            for one in sorted(fields(cls), key=lambda one: bool(one.kw_only))
        ]
    )


def document(cls: type, facade: type, remarks: str = "", example: str = "") -> None:
    """Complete the docstring of a class: remarks, texts of all parameters, attributes, an example.

    Texts of the classes of the facade, subclasses of its base class, come before those of others.
    """
    bases = sorted(cls.__mro__, key=lambda base: not issubclass(base, facade))
    texts: dict[str, str] = {}
    attributes: dict[str, str] = {}
    for sections in (_sections(base)[1] for base in reversed(bases)):
        texts |= _entries(sections.get("Parameters", ""))
        attributes |= _entries(sections.get("Attributes", ""))
    head, own = _sections(cls)
    own["Parameters"] = _joined({one.name: texts[one.name] for one in fields(cls)})
    own["Attributes"] = _joined(attributes)
    own.setdefault("Examples", example)
    order = [
        name for name in ("Parameters", "Attributes", "References", "Examples") if own.get(name)
    ]
    parts = [f"{name}\n{'-' * len(name)}\n{own[name]}" for name in order]
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
