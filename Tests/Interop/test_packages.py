"""The Debian packages and the archive of the build under test: their files, manual pages and completions."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
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


@pytest.fixture(scope="module")
def archive(packages: dict[str, Path]) -> Iterator[tarfile.TarFile]:
    (file,) = packages["token-exchange"].parent.glob("*.tar")
    with tarfile.open(file) as opened:
        yield opened


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
        "usr/share/doc/token-exchange/examples/token-exchange-env.yaml",
        "usr/share/doc/token-exchange/examples/token-exchange-signer.yaml",
        "usr/share/man/man1/token-exchange-signer.1.gz",
        "usr/share/man/man1/token-exchange.1.gz",
        "usr/share/man/man1/token-exchange-serve.1.gz",
        "usr/share/man/man1/token-exchange-init.1.gz",
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


def test_the_archive_has_both_programs_and_what_belongs_to_them(
    archive: tarfile.TarFile, packages: dict[str, Path]
) -> None:
    top = archive.getnames()[0]
    assert top.startswith("token-exchange-0.1.0-linux-")
    names = {name.removeprefix(f"{top}/") for name in archive.getnames()}
    for package, tree in packages.items():
        assert f"bin/{package}" in names
        pages = {f"share/man/man1/{page.name}" for page in tree.glob("usr/share/man/man1/*")}
        assert pages and pages <= names
        assert {
            f"share/bash-completion/completions/{package}",
            f"share/zsh/site-functions/_{package}",
            f"share/fish/vendor_completions.d/{package}.fish",
        } <= names
    samples = {f"config/{file.relative_to(ROOT / 'config')}" for file in (ROOT / "config").glob("*.yaml")}
    assert samples | {"config/README.md", "LICENSE", "README.md"} <= names


def test_two_archives_of_a_commit_are_equal(archive: tarfile.TarFile) -> None:
    members = archive.getmembers()
    assert [member.name for member in members] == sorted(archive.getnames())
    assert {(member.uid, member.gid, member.uname, member.gname) for member in members} == {(0, 0, "", "")}
    assert len({member.mtime for member in members}) == 1


def test_the_programs_of_the_archive_run_from_any_folder(archive: tarfile.TarFile, tmp_path: Path) -> None:
    archive.extractall(tmp_path, filter="data")
    (top,) = tmp_path.iterdir()
    for name in ("token-exchange", "token-exchange-lab"):
        assert _run(top / "bin" / name, "--version") == f"{name} 0.1.0\n"


def test_the_archive_says_where_its_programs_run(archive: tarfile.TarFile) -> None:
    """The debug build loads the Swift runtime, and the same other libraries as a release."""
    readme = archive.extractfile(f"{archive.getnames()[0]}/README.md")
    assert readme is not None
    with readme:
        lines = readme.read().decode().splitlines()
    assert [line.split(":")[0] for line in lines if line.startswith("- ")] == [
        "- Debian 12",
        "- Debian 13",
        "- Ubuntu 22.04",
        "- Ubuntu 24.04",
        "- Fedora 43",
    ]
    assert any(line.startswith("- Debian 12: apt install ca-certificates libcurl4 ") for line in lines)


LIBRARIES = "libc6 (>= 2.34), libcurl4 (>= 7.55.0), libjansson4 (>= 2.13), libpq5 (>= 10~~), libssl3 (>= 3.0.0~~alpha1)"


@pytest.mark.parametrize(
    ("dependencies", "line"),
    [
        (LIBRARIES, "- Debian 12: apt install ca-certificates libcurl4 libjansson4 libpq5 libssl3"),
        (LIBRARIES, "- Debian 13: apt install ca-certificates libcurl4t64 libjansson4 libpq5 libssl3t64"),
        (LIBRARIES, "- Ubuntu 22.04: apt install ca-certificates libcurl4 libjansson4 libpq5 libssl3"),
        (
            LIBRARIES.replace("2.34", "2.36").replace("2.13", "2.14"),
            "- Ubuntu 22.04: they do not run, because they need libc6 2.36 or later (here 2.35), "
            "libjansson4 2.14 or later (here 2.13.1)",
        ),
        (
            LIBRARIES,
            "- Fedora 43: dnf install ca-certificates libcurl jansson libpq openssl-libs (not confirmed is jansson 2.13 or later; "
            "each start prints that libcurl has no version information)",
        ),
    ],
)
def test_the_libraries_are_compared_with_those_of_each_distribution(dependencies: str, line: str) -> None:
    assert line in _run("scripts/runs-on", dependencies).splitlines()


def test_a_library_that_is_not_in_the_table_is_an_error() -> None:
    command = ["scripts/runs-on", LIBRARIES + ", libunknown1 (>= 1.0)"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (1, "")
    assert "libunknown1" in result.stderr
