"""axe-core in the browser of a visitor."""

from __future__ import annotations

from axe_core_python.base import AXE_SCRIPT

from peers.chromium import Visitor

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


def findings(visitor: Visitor) -> dict[str, dict[str, list[str]]]:
    """The findings of axe-core by rule, with the elements."""
    # The page's policy does not apply to scripts of WebDriver.
    if not visitor.run("return window.axe !== undefined"):
        visitor.run(AXE_SCRIPT)
    results = visitor.run(f"return axe.run(document, {{runOnly: {RULES}}})")
    return {
        outcome: {rule["id"]: [node["html"] for node in rule["nodes"]] for rule in results[outcome]}
        for outcome in ("violations", "incomplete", "passes")
    }


def check_access(visitor: Visitor, page: str) -> None:
    found = findings(visitor)
    assert not found["violations"], (page, found["violations"])
    # Results that axe-core could not decide count as failures, because they would need a human check.
    assert not found["incomplete"], (page, found["incomplete"])
    assert {"color-contrast", "html-has-lang", "document-title", "region"} <= found["passes"].keys()
