"""Start a server, drive it with a cheap epoll client over loopback, read its CPU and memory."""

from __future__ import annotations

import os
import selectors
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil

HERE = Path(__file__).parent

# kind of server: event loop, HTTP parser
UVICORN = {
    "uvicorn": ("uvloop", "httptools"),
    "uvicorn-asyncio": ("asyncio", "httptools"),
    "uvicorn-h11": ("uvloop", "h11"),
}


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    def __init__(self, kind: str, target: str, python: str = sys.executable, env: dict[str, str] | None = None):
        self.port = free_port()
        p = str(self.port)
        if kind in UVICORN:
            loop, http = UVICORN[kind]
            cmd = [
                python,
                "-W",
                "ignore",
                "-m",
                "uvicorn",
                target,
                "--host",
                "127.0.0.1",
                "--port",
                p,
                "--loop",
                loop,
                "--http",
                http,
                "--log-level",
                "error",
                "--no-access-log",
                "--backlog",
                "4096",
            ]
        elif kind == "granian":
            cmd = [
                python,
                "-W",
                "ignore",
                "-m",
                "granian",
                "--interface",
                "asgi",
                "--host",
                "127.0.0.1",
                "--port",
                p,
                "--workers",
                "1",
                "--loop",
                "uvloop",
                "--no-ws",
                "--http",
                "1",
                "--log-level",
                "error",
                "--backlog",
                "4096",
                "--backpressure",
                "4096",
                target,
            ]
        elif kind == "hypercorn":
            cmd = [
                python,
                "-W",
                "ignore",
                "-m",
                "hypercorn",
                target,
                "--bind",
                f"127.0.0.1:{p}",
                "--worker-class",
                "uvloop",
                "--log-level",
                "error",
                "--backlog",
                "4096",
            ]
        elif kind == "protocol":
            cmd = [python, "limits_asgi.py", p]
        else:
            raise ValueError(kind)
        self.proc = subprocess.Popen(
            cmd, cwd=HERE, env={**os.environ, **(env or {})}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        deadline = time.time() + 60
        while True:
            if self.proc.poll() is not None:
                raise RuntimeError(self.proc.stderr.read().decode()[-2000:])
            try:
                if b"ok" in get(self.port, "/ping"):
                    break
            except OSError:
                pass
            if time.time() > deadline:
                self.stop()
                raise RuntimeError("server did not start")
            time.sleep(0.1)
        self.root = psutil.Process(self.proc.pid)

    def tree(self):
        return [self.root, *self.root.children(recursive=True)]

    def cpu(self) -> float:
        """CPU seconds of the process that runs the app (all its threads, so granian's runtime too)."""
        return float(get(self.port, "/cpu").partition(b"cpu=")[2].split()[0])

    def rss(self) -> int:
        return sum(p.memory_info().rss for p in self.tree())

    def stop(self):
        kids = []
        try:
            kids = psutil.Process(self.proc.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            pass
        self.proc.terminate()
        try:
            self.proc.wait(5)
        except subprocess.TimeoutExpired:
            self.proc.kill()
        for k in kids:
            try:
                k.kill()
            except psutil.NoSuchProcess:
                pass
        if self.proc.stderr:
            self.proc.stderr.close()

    def __enter__(self):
        return self

    def __exit__(self, *a):
        self.stop()


def get(port: int, path: str) -> bytes:
    with socket.create_connection(("127.0.0.1", port), 5) as s:
        s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        out = b""
        while b"ok" not in out.partition(b"\r\n\r\n")[2]:
            d = s.recv(65536)
            if not d:
                break
            out += d
        return out


def request(path: str) -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
        f"Connection: close\r\n\r\n{{}}"
    ).encode()


def drive(port: int, path: str, streams: int, marker: bytes, count: bytes, timeout: float = 300.0) -> dict[str, float]:
    """Open `streams` connections at once, read each to EOF. Wall time, time to first delta, frames, bytes."""
    sel = selectors.DefaultSelector()
    req = request(path)
    t0 = time.perf_counter()
    first: dict[int, float] = {}
    tails: dict[int, bytes] = {}
    start: dict[int, float] = {}
    for _ in range(streams):
        s = socket.create_connection(("127.0.0.1", port), 30)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        start[s.fileno()] = time.perf_counter()
        s.sendall(req)
        s.setblocking(False)
        sel.register(s, selectors.EVENT_READ)
        tails[s.fileno()] = b""
    frames = nbytes = recvs = 0
    open_ = streams
    head = b""
    while open_:
        ready = sel.select(5)
        if time.perf_counter() - t0 > timeout:
            raise TimeoutError(f"{open_} streams still open")
        for key, _ in ready:
            s = key.fileobj
            fd = s.fileno()
            try:
                d = s.recv(262144)
            except BlockingIOError:
                continue
            except ConnectionResetError:
                d = b""
            if not d:
                sel.unregister(s)
                s.close()
                open_ -= 1
                continue
            recvs += 1
            nbytes += len(d)
            if not head:
                head = d[:200]
            buf = tails[fd] + d
            if fd not in first and marker in buf:
                first[fd] = time.perf_counter() - start[fd]
            frames += buf.count(count)
            # keep what might be the beginning of a marker across reads
            keep = max(len(count), len(marker)) - 1
            tail = buf[-keep:]
            frames -= tail.count(count)
            tails[fd] = tail
    frames += sum(t.count(count) for t in tails.values())
    wall = time.perf_counter() - t0
    f = sorted(first.values())
    return {
        "wall": wall,
        "frames": frames,
        "bytes": nbytes,
        "recvs": recvs,
        "ttfd": f[len(f) // 2] if f else -1.0,
        "head": head.split(b"\r\n")[0].decode(errors="replace"),
    }


def hold(port: int, path: str, streams: int, marker: bytes) -> list[socket.socket]:
    """Open streams and read each until its first delta arrived; leave them open."""
    out = []
    req = request(path)
    pending = []
    for _ in range(streams):
        s = socket.create_connection(("127.0.0.1", port), 30)
        s.sendall(req)
        pending.append(s)
        if len(pending) == 50:
            out += _first(pending, marker)
            pending = []
    out += _first(pending, marker)
    return out


def _first(socks, marker):
    for s in socks:
        s.settimeout(60)
        buf = b""
        while marker not in buf:
            d = s.recv(65536)
            if not d:
                raise RuntimeError("stream ended before its first delta: " + repr(buf[-300:]))
            buf += d
    return list(socks)
