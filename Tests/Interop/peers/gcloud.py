"""Google's command-line tool, without running a command: this file is also the program that its own Python runs.

Google's code: the parser of every command with its flags and choices, and the messages into which it decodes the description of a
service. Our code: each command ends after its arguments were parsed, and nothing can connect. The parser is part of the Google
Cloud SDK, which is neither in Debian nor on PyPI.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any


def is_installed() -> bool:
    return shutil.which("gcloud") is not None


@functools.cache
def _places() -> tuple[str, str]:
    """The Python that the tool uses, and its folder."""
    with tempfile.TemporaryDirectory() as folder:
        ran = subprocess.run(
            ["gcloud", "info", "--format=csv[no-heading,separator='|'](basic.python_location,installation.sdk_root)"],
            env={"PATH": os.environ["PATH"], "HOME": folder, "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "true"},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    python, _, root = ran.stdout.strip().partition("|")
    return python, root


def problems(commands: list[list[str]], folder: Path) -> list[str]:
    """What the tool says about the arguments of each command; an empty text if it accepts them.

    The folder becomes the tool's home, and paths in the commands begin there.
    """
    # Without an account, without prompts, and without the reports that it sends.
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "CLOUDSDK_CONFIG": str(folder / "gcloud"),
        "CLOUDSDK_AUTH_DISABLE_CREDENTIALS": "true",
        "CLOUDSDK_CORE_DISABLE_PROMPTS": "true",
        "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING": "true",
        "CLOUDSDK_CORE_PROJECT": "my-project",
    }
    python, root = _places()
    ran = subprocess.run(
        [python, "-S", "-c", Path(__file__).read_text(), root],
        env=environment,
        cwd=folder,
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    answers = json.loads(ran.stdout.splitlines()[-1])
    assert len(answers) == len(commands)
    return answers


def _refuse(*arguments: Any) -> None:
    raise ConnectionRefusedError("the parser connects to nothing")


def _parse() -> None:
    socket.socket.connect = _refuse  # type: ignore[method-assign]
    root = sys.argv[1]
    sys.path[:0] = [f"{root}/lib", f"{root}/lib/third_party"]
    from googlecloudsdk import gcloud_main  # type: ignore[import-not-found]
    from googlecloudsdk.api_lib.util import apis, messages  # type: ignore[import-not-found]
    from googlecloudsdk.calliope import backend  # type: ignore[import-not-found]
    from googlecloudsdk.core import log  # type: ignore[import-not-found]

    def parsed(command: Any, cli: Any, args: Any) -> None:
        # The only command whose file has a type, which it checks when it runs.
        if command.dotted_name == "gcloud.run.services.replace":
            service = apis.GetMessagesModule("run", "v1").Service
            messages.DictToMessageWithErrorCheck(dict(args.FILE), service)

    backend.Command.Run = parsed
    tool = gcloud_main.CreateCLI([])
    answers = []
    for arguments in json.load(sys.stdin):
        heard = io.StringIO()
        code: object = 0
        with contextlib.redirect_stderr(heard), contextlib.redirect_stdout(heard):
            log.Reset(heard, heard)
            try:
                tool.Execute(arguments)
            except SystemExit as end:
                code = end.code
            except Exception as error:  # noqa: BLE001 - whatever the tool throws is its answer
                code, _ = 1, heard.write(f"{type(error).__name__}: {error}")
        answers.append("" if code in (0, None) else heard.getvalue() or f"exit {code}")
    print(json.dumps(answers))


if __name__ == "__main__":
    _parse()
