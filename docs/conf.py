"""How the site is built: ``make docs`` runs Sphinx on this folder."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

from docutils import nodes

import nystream

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "nystream"
version = release = nystream.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_heading_anchors = 3
default_role = "code"

html_theme = "furo"
html_title = f"nystream {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_copyright = html_show_sphinx = html_copy_source = False

# Defaults as they are written, 1e-3 and not 0.001; types beside the parameters and not in
# signatures, which would be too long to read.
autodoc_preserve_defaults = True
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_member_order = "bysource"
python_maximum_signature_line_length = 72
python_use_unqualified_type_names = True
napoleon_google_docstring = False
# Several attributes may share a line.
napoleon_custom_sections = [("Attributes", "params_style")]
napoleon_use_rtype = False

# Types of other projects, whose sites a build should not have to ask, and aliases.
nitpick_ignore_regex = [
    ("py:class", r"(np|numpy|os|typing|collections|pathlib)\..*"),
    ("py:class", "ArrayLike|DataFrame|NDArray|Form|Path|PathLike|Self|Any|Hashable|Sequence"),
    ("py:class", r"(sklearn|river|pandas|polars)\..*"),
    ("py:class", "Regressor|OnlineRegressor"),  # the bases of the facades are not public
    ("py:attr", "features"),  # of every regressor for river, shown for one
]


def is_importable(name: str) -> bool:
    """Whether the library that a facade is for is installed."""
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


# Without its library a facade has no reference.
FACADES = ("sklearn", "river", "serve", "spark", "ray")
MISSING = [name for name in FACADES if not is_importable(f"nystream.{name}")]
exclude_patterns = [f"api/{name}.md" for name in MISSING]
suppress_warnings = ["toc.excluded", "toc.not_readable"] if MISSING else []


def loosen(app: Sphinx, what: str, name: str, *event: Any) -> None:
    """Keep docstrings from being read as what they are not."""
    lines: list[str] = event[-1]
    if what in {"attribute", "property"}:
        lines[:1] = [f": {line}" for line in lines[:1]]  # before a colon there would be a type
    # Numbers of references are unique in a docstring, not on a page.
    for i, line in enumerate(lines):
        bullet = re.sub(r"^\.\. (\[\d+\])", r"*  \1", line)
        lines[i] = re.sub(r"(\[\d+\])_", r"\1", bullet)


def hide_signatures(app: Sphinx, what: str, name: str, *event: Any) -> tuple[str, str] | None:
    """Hide the constructors of the base classes: nobody calls them."""
    return ("", "") if name in {"nystream.Kernel", "nystream.Learner"} else None


def drop_return_types(app: Sphinx, domain: str, kind: str, content: Any) -> None:
    """Drop the types of what is returned: the words beside them say more."""
    for field in list(content.findall(nodes.field)):
        if field[0].astext() == "rtype":
            field.parent.remove(field)


def lead_to_start(app: Sphinx, page: str, source: list[str]) -> None:
    """Let links to the README, which is no page, lead to the start page."""
    source[0] = source[0].replace("](../README.md", "](index.md")


def list_classes(app: Sphinx, page: str, source: list[str]) -> None:
    """List all kernels, or the learners of some modules, where a page asks for them."""
    # Estimators and regressors have the methods of their first, which are shown there.
    ending = "Regressor" if page in {"api/sklearn", "api/river"} else "\n   :members:"

    def classes(match: re.Match[str]) -> str:
        modules = [importlib.import_module(f"nystream.{name}") for name in match[1].split()]
        names = [name for module in modules for name in module.__all__]
        return "\n".join(f".. autoclass:: {name}{ending}" for name in names)

    source[0] = re.sub(r"^\.\. classes of (.+)$", classes, source[0], flags=re.MULTILINE)


def setup(app: Sphinx) -> None:
    """Connect the above."""
    app.connect("source-read", lead_to_start)
    app.connect("source-read", list_classes)
    app.connect("autodoc-process-docstring", loosen, priority=400)
    app.connect("autodoc-process-signature", hide_signatures)
    # After the types of parameters have been added.
    app.connect("object-description-transform", drop_return_types, priority=600)
