"""The Debian packages of the build under test: their files, manual pages and completions."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def _run(*command: str | Path, **variables: str) -> str:
    result = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def packages(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """The unpacked packages of the debug build, by name."""
    folder = tmp_path_factory.mktemp("packages")
    _run("scripts/package", "--binaries", binary.parent, "--output", folder, PACKAGE_COMPRESSION="none")
    trees = {}
    for archive in folder.glob("*.deb"):
        name = archive.name.split("_")[0]
        trees[name] = folder / name
        _run("dpkg-deb", "--raw-extract", archive, trees[name])
        archive.unlink()
    yield trees
    shutil.rmtree(folder)


def _files(tree: Path) -> set[str]:
    return {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file()}


def test_the_server_package_has_nothing_of_the_lab(packages: dict[str, Path]) -> None:
    assert set(packages) == {"token-exchange", "token-exchange-lab"}
    files = _files(packages["token-exchange"])
    assert {
        "usr/bin/token-exchange",
        "lib/systemd/system/token-exchange.service",
        "etc/token-exchange/token-exchange.yaml",
        "usr/share/doc/token-exchange/examples/token-exchange.yaml",
        "lib/systemd/system/token-exchange-signer.service",
        "usr/share/doc/token-exchange/examples/token-exchange-signer.yaml",
        "usr/share/man/man1/token-exchange-signer.1.gz",
        "usr/share/man/man1/token-exchange.1.gz",
        "usr/share/man/man1/token-exchange-serve.1.gz",
        "usr/share/man/man1/token-exchange-config-check.1.gz",
    } <= files
    assert not [file for file in files if "lab" in file]
    assert (packages["token-exchange"] / "DEBIAN/conffiles").read_text() == "/etc/token-exchange/token-exchange.yaml\n"


def test_only_the_server_package_has_scripts_and_they_are_valid(packages: dict[str, Path]) -> None:
    for script in ("postinst", "prerm", "postrm"):
        _run("sh", "-n", packages["token-exchange"] / "DEBIAN" / script)
        assert not (packages["token-exchange-lab"] / "DEBIAN" / script).exists()


def test_the_manual_pages_have_no_error(packages: dict[str, Path]) -> None:
    pages = [page for tree in packages.values() for page in tree.glob("usr/share/man/man1/*")]
    assert len(pages) > 15
    for page in pages:
        _run("mandoc", "-T", "lint", "-W", "warning", page)


def test_the_shells_can_read_the_completions(packages: dict[str, Path]) -> None:
    for name, tree in packages.items():
        _run("bash", "-n", tree / "usr/share/bash-completion/completions" / name)
        _run("zsh", "-n", tree / "usr/share/zsh/vendor-completions" / f"_{name}")
        _run("fish", "--no-execute", tree / "usr/share/fish/vendor_completions.d" / f"{name}.fish")
