"""The pages of the documentation, and the examples on them.

An example is a fenced block. The HTML comment before it says how the tests hold it to the truth:

| comment | the tests |
| --- | --- |
| `run NAME` | run it: a test calls `documented("NAME")` |
| `request POST /v1/nonce` | compare it with the request of that operation in `/openapi.json` |
| `response POST /v1/nonce 200` | compare it with that response |
| `configuration` | merge it into a configuration, which `config check` must accept |
| `scripts/interface ...` | compare it with the symbols of the compiler, in `scripts/check` |
| `not run` | do nothing; the paragraph before it must say that the program is not run |

Blocks of README.md with the language `text` are drawings. The guide has pictures in their place.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
README = ROOT / "README.md"
GUIDE = ROOT / "Sources/Documentation/Guide.docc"
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<code>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"<!-- (.*?) -->\s*$", re.DOTALL)


@dataclass(frozen=True)
class Example:
    page: Path
    line: int
    language: str
    code: str
    # The words of the comment before the block.
    words: tuple[str, ...]
    # The text of the page between the block before and this one.
    introduction: str

    @property
    def kind(self) -> str:
        return self.words[0] if self.words else ""

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    return sorted([README, *GUIDE.rglob("*.md")])


def topics(page: Path) -> list[Path]:
    """The pages of the guide that stand under Topics of this one."""
    _, _, listed = page.read_text().partition("\n## Topics\n")
    return [GUIDE / f"{name}.md" for name in re.findall(r"^- <doc:(\w+)>$", listed, re.MULTILINE)]


def examples(of: list[Path] | None = None) -> list[Example]:
    """The examples of pages, by default of all."""
    found = []
    for page in of if of is not None else pages():
        text = page.read_text()
        end = 0
        for block in FENCE.finditer(text):
            before = text[end : block.start()]
            end = block.end()
            if block["language"] == "text" and page == README:
                continue
            comment = COMMENT.search(before)
            indent = len(block["indent"])
            code = "".join(line[indent:] or "\n" for line in block["code"].splitlines(keepends=True))
            found.append(
                Example(
                    page=page,
                    line=text.count("\n", 0, block.start()) + 1,
                    language=block["language"],
                    code=code,
                    words=tuple(comment[1].split()) if comment else (),
                    introduction=before[: comment.start()] if comment else before,
                )
            )
    return found


def documented(name: str) -> str:
    """The code of the only example with the comment `run NAME`."""
    found = [example for example in examples() if example.words == ("run", *name.split())]
    assert len(found) == 1, f"the comment <!-- run {name} --> stands {len(found)} times"
    return found[0].code
