#!/usr/bin/env python3
"""A disk that fails on demand: a file system (FUSE) over a folder whose reads, writes and syncs return I/O errors.

FUSE, because the errors then come from the kernel. A page that cannot be read makes read() return EIO, and touching it in
a mapped file raises SIGBUS, in the unmodified program and under the sanitizers. A preloaded library cannot make a page
fault fail, and a loop device over a file that was cut also loses the tables of its own file system. The protocol is
spoken here directly, so that no library is needed; mounting needs root or user namespaces (`own_mounts`).

The file system runs in a process of its own, and ends with the test: it then reads the end of its standard input.
"""
from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import select
import stat
import struct
import subprocess
import sys
import threading
from pathlib import Path

PAGE = 4096
LARGEST_WRITE = 1 << 17
LOOKUP, FORGET, GETATTR, SETATTR, MKDIR, UNLINK, RMDIR, RENAME, OPEN, READ, WRITE, STATFS, RELEASE = 1, 2, 3, 4, 9, 10, 11, 12, 14, 15, 16, 17, 18
FSYNC, FLUSH, INIT, OPENDIR, READDIR, RELEASEDIR, FSYNCDIR, CREATE, INTERRUPT, DESTROY, BATCH_FORGET = 20, 25, 26, 27, 28, 29, 30, 35, 36, 38, 42
INVALIDATE_INODE = 2
SIZE_IS_SET = 1 << 3
NEW_USERS, NEW_MOUNTS, PRIVATE, DETACH = 0x10000000, 0x00020000, 1 << 18 | 1 << 14, 2

libc = ctypes.CDLL(None, use_errno=True)


def own_mounts() -> str:
    """Gives this process mounts of its own, which end with it and which no other process sees. Returns an empty string, or why not.

    Call it before any thread is started.
    """
    users, groups = os.getuid(), os.getgid()
    if libc.unshare(NEW_MOUNTS) != 0:
        if libc.unshare(NEW_USERS | NEW_MOUNTS) != 0:
            return os.strerror(ctypes.get_errno())
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {users} 1")
        Path("/proc/self/gid_map").write_text(f"0 {groups} 1")
    if libc.mount(b"none", b"/", None, PRIVATE, None) != 0:
        return os.strerror(ctypes.get_errno())
    return ""


class FailingDisk:
    """`with FailingDisk(behind, mounted) as disk:` shows the files of `behind` in `mounted`."""

    def __init__(self, behind: Path, mounted: Path) -> None:
        for folder in (behind, mounted):
            folder.mkdir(parents=True, exist_ok=True)
        self.behind, self.mounted = behind, mounted
        self.process = subprocess.Popen([sys.executable, __file__, str(behind), str(mounted)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        if (said := self.process.stdout.readline()) != "mounted\n":
            self.process.wait()
            raise OSError(said.strip())

    def fail(self, *, read: dict[str, list[int]] | None = None, write: dict | None = None, sync: dict | None = None,
             forget: bool = False) -> None:
        """Sets the failures from now on, in place of earlier ones. `read` has the pages that cannot be read, by the file's name. `write`
        and `sync` are {"names": a regular expression, "after": how many succeed first, "times": how many fail then, "error": errno}.
        `forget`: the system drops all cached pages, so that mapped pages are read again."""
        self._ask({"read": read or {}, "write": write, "sync": sync, "forget": forget})

    def heal(self) -> None:
        self.fail()

    def _ask(self, what: dict) -> None:
        self.process.stdin.write(json.dumps(what) + "\n")
        self.process.stdin.flush()
        if self.process.stdout.readline() != "done\n":
            raise RuntimeError(f"the failing disk has ended with {self.process.wait()}")

    def __enter__(self) -> FailingDisk:
        return self

    def __exit__(self, *_: object) -> None:
        libc.umount2(str(self.mounted).encode(), DETACH)
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


# --- the file system -------------------------------------------------------------------------------

class Node:
    def __init__(self, path: str) -> None:
        self.path: str | None = path  # None once the file is removed
        self.open: list[int] = []


class Countdown:
    """Counts writes or syncs: some succeed, then some fail."""

    def __init__(self, given: dict) -> None:
        self.names, self.error = re.compile(given["names"]), given["error"]
        self.after, self.times = given["after"], given["times"]

    def strike(self, name: str) -> None:
        if self.times == 0 or not self.names.search(name):
            return
        if self.after > 0:
            self.after -= 1
            return
        self.times -= 1
        raise OSError(self.error, "as asked for")


class Server:
    def __init__(self, behind: str, device: int) -> None:
        self.behind, self.device = behind, device
        self.nodes: dict[int, Node] = {1: Node(behind)}
        self.ids: dict[str, int] = {behind: 1}
        self.next = 2
        self.unreadable: dict[str, set[int]] = {}
        self.write_fault: Countdown | None = None
        self.sync_fault: Countdown | None = None

    def run(self) -> None:
        commands = b""
        while True:
            ready, _, _ = select.select([self.device, 0], [], [])
            if self.device in ready:
                try:
                    request = os.read(self.device, LARGEST_WRITE + PAGE)
                except OSError as error:
                    if error.errno == errno.ENODEV:
                        return
                    if error.errno in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
                        continue
                    raise
                self.answer(request)
            if 0 in ready:
                if not (piece := os.read(0, 1 << 16)):
                    return
                commands += piece
                while b"\n" in commands:
                    line, commands = commands.split(b"\n", 1)
                    self.obey(json.loads(line))

    def obey(self, given: dict) -> None:
        self.unreadable = {name: set(pages) for name, pages in given["read"].items()}
        self.write_fault = Countdown(given["write"]) if given["write"] else None
        self.sync_fault = Countdown(given["sync"]) if given["sync"] else None
        if not given["forget"]:
            print("done", flush=True)
            return

        def forget() -> None:  # in a thread of its own, since it waits for reads that this thread answers
            for number in list(self.nodes):
                body = struct.pack("<Qqq", number, 0, 0)
                try:
                    os.write(self.device, struct.pack("<IiQ", 16 + len(body), INVALIDATE_INODE, 0) + body)
                except OSError:
                    pass  # the system has forgotten this node
            print("done", flush=True)

        threading.Thread(target=forget).start()

    def answer(self, request: bytes) -> None:
        _, code, unique, node = struct.unpack_from("<IIQQ", request)
        if code in (FORGET, BATCH_FORGET, INTERRUPT):
            return
        error, body = 0, b""
        try:
            body = self.carry_out(code, node, request[40:])
        except OSError as problem:
            error = problem.errno or errno.EIO
        except KeyError:
            error = errno.ESTALE
        try:
            os.write(self.device, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)
        except OSError as problem:
            if problem.errno != errno.ENOENT:  # the process that asked has ended
                raise

    def carry_out(self, code: int, node: int, body: bytes) -> bytes:
        if code == INIT:
            major, minor, ahead, _ = struct.unpack_from("<IIII", body)
            return struct.pack("<IIIIHHIIHHI28x", major, min(minor, 31), ahead, 0, 12, 10, LARGEST_WRITE, 1, 0, 0, 0)
        if code == LOOKUP:
            return self.entry(self.child(node, body))
        if code == GETATTR:
            return self.attributes(node)
        if code == SETATTR:
            if struct.unpack_from("<I", body)[0] & SIZE_IS_SET:
                self.strike(self.write_fault, node)
                os.truncate(self.place(node), struct.unpack_from("<Q", body, 16)[0])
            return self.attributes(node)
        if code == MKDIR:
            path = self.child(node, body[8:])
            os.mkdir(path, struct.unpack_from("<I", body)[0])
            return self.entry(path)
        if code in (UNLINK, RMDIR):
            path = self.child(node, body)
            os.unlink(path) if code == UNLINK else os.rmdir(path)
            self.forget_path(path)
            self.unreadable.pop(os.path.basename(path), None)  # its unreadable pages are removed with it
            return b""
        if code == RENAME:
            return self.rename(node, body)
        if code == OPEN:
            flags = struct.unpack_from("<I", body)[0]
            return self.opened(node, os.open(self.path(node), flags & ~(os.O_APPEND | os.O_NOFOLLOW)))
        if code == CREATE:
            flags, mode = struct.unpack_from("<II", body)
            path = self.child(node, body[16:])
            self.strike(self.write_fault, path)
            file = os.open(path, (flags | os.O_CREAT) & ~(os.O_APPEND | os.O_NOFOLLOW), mode)
            entry = self.entry(path)
            return entry + self.opened(self.ids[path], file)
        if code == READ:
            file, offset, size = struct.unpack_from("<QQI", body)
            pages = self.unreadable.get(self.name(node), ())
            data = os.pread(file, size, offset)
            if any(page * PAGE < offset + len(data) and (page + 1) * PAGE > offset for page in pages):
                raise OSError(errno.EIO, "as asked for")
            return data
        if code == WRITE:
            self.strike(self.write_fault, node)
            file, offset, size = struct.unpack_from("<QQI", body)
            return struct.pack("<II", os.pwrite(file, body[40 : 40 + size], offset), 0)
        if code in (FSYNC, FSYNCDIR):
            self.strike(self.sync_fault, node)
            return b""
        if code == RELEASE:
            file = struct.unpack_from("<Q", body)[0]
            self.nodes[node].open.remove(file)
            os.close(file)
            return b""
        if code == OPENDIR:
            return struct.pack("<QII", 0, 0, 0)
        if code == READDIR:
            return self.names(node, *struct.unpack_from("<QI", body, 8))
        if code == STATFS:
            room = os.statvfs(self.behind)
            return struct.pack("<5Q4I24x", room.f_blocks, room.f_bfree, room.f_bavail, room.f_files, room.f_ffree, room.f_bsize, 255, room.f_frsize, 0)
        if code in (FLUSH, RELEASEDIR, DESTROY):
            return b""
        raise OSError(errno.ENOSYS, "not there")

    # Names

    def path(self, node: int) -> str:
        path = self.nodes[node].path
        if path is None:
            raise OSError(errno.ENOENT, "removed")
        return path

    def place(self, node: int) -> str | int:
        """Returns the path of a file, or a descriptor if it was removed while it is open."""
        one = self.nodes[node]
        return one.open[0] if one.path is None and one.open else self.path(node)

    def name(self, node: int | str) -> str:
        return os.path.basename(node if isinstance(node, str) else self.nodes[node].path or "")

    def strike(self, fault: Countdown | None, node: int | str) -> None:
        if fault:
            fault.strike(self.name(node))

    def child(self, node: int, name: bytes) -> str:
        return os.path.join(self.path(node), os.fsdecode(name.split(b"\0")[0]))

    def forget_path(self, path: str) -> None:
        if (number := self.ids.pop(path, None)) is not None:
            self.nodes[number].path = None

    def rename(self, node: int, body: bytes) -> bytes:
        to_folder, (old, new) = struct.unpack_from("<Q", body)[0], body[8:].split(b"\0")[:2]
        source, target = self.child(node, old), self.child(to_folder, new)
        self.strike(self.write_fault, target)
        os.rename(source, target)
        self.forget_path(target)
        self.unreadable.pop(os.path.basename(target), None)
        for path in [path for path in self.ids if path == source or path.startswith(source + "/")]:
            number = self.ids.pop(path)
            self.nodes[number].path = target + path[len(source) :]
            self.ids[self.nodes[number].path] = number
        return b""

    def names(self, node: int, offset: int, size: int) -> bytes:
        out = b""
        for index, name in enumerate([".", "..", *sorted(os.listdir(self.path(node)))]):
            if index < offset:
                continue
            data = os.fsencode(name)
            entry = struct.pack("<QQII", index + 1, index + 1, len(data), 0) + data
            entry += bytes(-len(entry) % 8)
            if len(out) + len(entry) > size:
                break
            out += entry
        return out

    # Attributes of a file

    def described(self, node: int, of: os.stat_result) -> bytes:
        times = [int(of.st_atime), int(of.st_mtime), int(of.st_ctime), of.st_atime_ns % 10**9, of.st_mtime_ns % 10**9, of.st_ctime_ns % 10**9]
        mode = of.st_mode | (0o755 if stat.S_ISDIR(of.st_mode) else 0o644)
        return struct.pack("<6Q10I", node, of.st_size, of.st_blocks, *times, mode, of.st_nlink, 0, 0, 0, PAGE, 0)

    def attributes(self, node: int) -> bytes:
        return struct.pack("<QII", 0, 0, 0) + self.described(node, os.stat(self.place(node)))

    def entry(self, path: str) -> bytes:
        of = os.lstat(path)
        if path not in self.ids:
            self.ids[path], self.nodes[self.next] = self.next, Node(path)
            self.next += 1
        number = self.ids[path]
        return struct.pack("<QQQQII", number, 0, 0, 0, 0, 0) + self.described(number, of)

    def opened(self, node: int, file: int) -> bytes:
        self.nodes[node].open.append(file)
        return struct.pack("<QII", file, 0, 0)


def main() -> None:
    behind, mounted = sys.argv[1:]
    try:
        device = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={device},rootmode=40000,user_id=0,group_id=0,allow_other,max_read={LARGEST_WRITE}"
        if libc.mount(b"benzer-test", mounted.encode(), b"fuse.benzer", 0, options.encode()) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    except OSError as error:
        print(error, flush=True)
        sys.exit(1)
    print("mounted", flush=True)
    try:
        Server(behind, device).run()
    finally:
        libc.umount2(mounted.encode(), DETACH)


if __name__ == "__main__":
    main()
