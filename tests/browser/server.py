"""A Jupyter server as a person starts one, with nbgrader's extensions as they are installed."""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

PATIENCE = 120.0


@contextmanager
def jupyter(root: Path, *, cwd: Path, env: Mapping[str, str]) -> Iterator[str]:
    """JupyterLab over ``root``, started in ``cwd`` as formgrader asks for; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Where nbgrader and JupyterLab put their extensions, which need not be this interpreter's own prefix.
    prefix = Path(str(distribution("nbgrader").locate_file("../../.."))).resolve()
    found = dict(env) | {
        "JUPYTER_CONFIG_DIR": str(Path(env["HOME"]) / ".jupyter"),
        "JUPYTER_CONFIG_PATH": str(prefix / "etc/jupyter"),
        "JUPYTER_PATH": str(prefix / "share/jupyter"),
    }
    del found["JUPYTER_NO_CONFIG"]
    # JupyterLab asks once whether it may fetch news; this person does not want any.
    settings = Path(found["JUPYTER_CONFIG_DIR"]) / "lab/user-settings/@jupyterlab/apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root"]
    command += [f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={root}"]
    command += ["--IdentityProvider.token="]
    log = root / "server.log"
    with log.open("w") as said:
        server = subprocess.Popen(
            command, cwd=cwd, env=found, stdin=subprocess.DEVNULL, stdout=said, stderr=said
        )
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(server, address, log)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _wait(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if server.poll() is not None:
            break
        try:
            with urlopen(f"{address}/api/status"):
                return
        except URLError:
            time.sleep(0.2)
    raise AssertionError(f"the server did not come up:\n{log.read_text()[-4000:]}")
