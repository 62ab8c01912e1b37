"""The page: four files, and a policy that lets them load nothing else."""

from __future__ import annotations

from importlib.resources import files

from nystream.serve._http import Answer

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
KINDS = {
    "page.html": b"text/html; charset=utf-8",
    "page.css": b"text/css; charset=utf-8",
    "page.js": b"text/javascript; charset=utf-8",
    "scales.js": b"text/javascript; charset=utf-8",
}
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"referrer-policy", b"no-referrer"),
)


def page(name: str) -> Answer:
    """Read a file of the page."""
    content = files("nystream.serve").joinpath(name).read_bytes()
    return Answer(200, content, KINDS[name], HEADERS)
