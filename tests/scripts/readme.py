"""readme.py BUILD FILE [--update]: runs the commands of a document's console blocks, in
order, in a terminal as a reader does, and compares what they print with what stands there.
--update writes what they print into the document instead, where no … stands.

A command begins with "$ " and goes on until its quotes are closed; the lines behind it are
what it prints. Where none stand there, it only has to succeed. They are compared like this:

  a line that is JSON         field by field, every field; the times of FLEETING are not
                              compared, and an id is the same id wherever it stands (one that
                              a command uses is that of this run)
  … within a line or a text   anything
  a line that is … alone      any lines
  [y/N] y                     the answer is typed

Before a block, as a comment that no reader sees, may stand what is particular to it:

  <!-- run: not here, REASON -->        it is not run
  <!-- run: fields a.b c -->            JSON: only these fields are compared
  <!-- run: meanwhile COMMAND -->       COMMAND runs once the block's own, which does not
                                        end by itself, has printed something
  <!-- run: daemon {"auth":…} -->       the example's daemon is started anew with these
                                        options besides those of conf/hrwd.json

The first block meets the daemon of conf/run-example.sh on an empty store. It listens on free
ports, which take the place of 7070 and 7071, as a folder does of /etc/hrwd.
"""
import json, os, pathlib, pty, re, select, shutil, signal, socket, subprocess, sys, tempfile, time

SECONDS = 120  # for one command
FLEETING = re.compile(r"(_ns|_bytes|_at|^at|^since)$")
IDS = re.compile(r"\b[0-9a-f]{28}\b|(?<=\d-)[0-9a-f]{16}\b")
TIMES = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
TYPED = re.compile(r"(\[y/N\] )(\w+)$", re.M)


class Wrong(Exception):
    pass


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def blocks(lines):
    """(number of the first line, directives, lines) of each console block."""
    at = 0
    while at < len(lines):
        if lines[at].strip() != "```console":
            at += 1
            continue
        told, above = {}, at - 1
        while above >= 0 and (m := re.fullmatch(r"<!-- run: ([a-z ]+?)(?:,| |$)(.*) -->", lines[above])):
            word = next((w for w in ("not here", "fields", "meanwhile", "daemon")
                         if lines[above][10:].startswith(w)), None)
            if word is None:
                raise Wrong(f"line {above + 1}: no such directive: {lines[above]}")
            told[word] = lines[above][10 + len(word):-4].strip(" ,")
            above -= 1
        end = lines.index("```", at)
        yield at + 1, told, lines[at + 1:end]
        at = end + 1


def is_whole(command):
    return subprocess.run(["sh", "-n", "-c", command], stderr=subprocess.DEVNULL).returncode == 0


def steps(body):
    """(index of the command, of what it prints, of the end) within a block."""
    found, at = [], 0
    while at < len(body):
        if not body[at].startswith("$ "):
            raise Wrong(f"what stands before a command: {body[at]}")
        prints = at + 1
        while not is_whole("\n".join(body[at:prints])[2:]):
            prints += 1
        end = prints
        while end < len(body) and not body[end].startswith("$ "):
            end += 1
        found.append((at, prints, end))
        at = end
    return found


class Run:
    def __init__(self, build):
        self.build = pathlib.Path(build).resolve()
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="hrwd-readme-"))
        self.etc = self.top / "etc"
        (self.etc / "secrets").mkdir(parents=True, mode=0o700)
        (self.top / "build").mkdir()
        (self.top / "bin").mkdir()
        for program in ("hrwd", "hrwctl"):
            (self.top / "build" / program).symlink_to(self.build / program)
        for folder in ("conf", "tests", "Makefile"):
            (self.top / folder).symlink_to(pathlib.Path(folder).resolve())
        # No other hrwd of this machine is meant.
        (self.top / "bin" / "pidof").write_text(f"#!/bin/sh\ncat '{self.top}/pid'\n")
        (self.top / "bin" / "pidof").chmod(0o755)
        self.ports = {"7070": str(free_port()), "7071": str(free_port())}
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("HRW")}
        self.environment |= {
            "EXAMPLE_LOOKUP": "127.0.0.1:" + self.ports["7070"],
            "EXAMPLE_ADMIN": "127.0.0.1:" + self.ports["7071"],
            "HRW_ADMIN": "127.0.0.1:" + self.ports["7071"],
            "PATH": f"{self.top}/bin:{self.top}/build:{os.environ['PATH']}", "TERM": "dumb",
        }
        self.daemon = None
        self.ids = {}
        self.shell = ""  # variables that earlier commands set

    def here(self, text):
        """A command of the document, as it runs here."""
        for port, free in self.ports.items():
            text = text.replace("127.0.0.1:" + port, "127.0.0.1:" + free)
        for theirs, ours in self.ids.items():
            text = text.replace(theirs, ours)
        return text.replace("/etc/hrwd", str(self.etc))

    def there(self, text):
        for port, free in self.ports.items():
            text = text.replace("127.0.0.1:" + free, "127.0.0.1:" + port)
        return text.replace(str(self.etc), "/etc/hrwd")

    def stop(self):
        if self.daemon is not None:
            self.daemon.terminate()
            self.daemon.wait()
            self.daemon = None

    def start(self, options=None):
        self.stop()
        log = self.top / "log"
        if options is None:
            command = ["sh", "conf/run-example.sh", "build"]
        else:
            config = json.loads(self.here(options))
            config["listen"] = {"lookup": self.environment["EXAMPLE_LOOKUP"],
                                "admin": self.environment["EXAMPLE_ADMIN"]}
            config["store"] = {"path": "build/example/hrwd.db"}
            (self.top / "hrwd.json").write_text(json.dumps(config))
            # A file of tokens is not empty.
            (self.etc / "tokens").write_text(f"seed admin {'0' * 64}\n")
            (self.etc / "tokens").chmod(0o640)
            command = ["build/hrwd", "--config", "hrwd.json"]
        with open(log, "w") as out:
            self.daemon = subprocess.Popen(command, cwd=self.top, env=self.environment,
                                           stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        (self.top / "pid").write_text(f"{self.daemon.pid}\n")
        # The example says what to try when its keys are there.
        awaited = "Ctrl-C ends it" if options is None else " ready: "
        for _ in range(SECONDS * 10):
            if awaited in log.read_text():
                return
            if self.daemon.poll() is not None:
                break
            time.sleep(0.1)
        raise Wrong("the daemon does not start:\n" + log.read_text())

    def run(self, command, expected, meanwhile):
        """What a command prints in a terminal, and how it ended."""
        typed = [m[2] for m in TYPED.finditer(expected)]
        script = (f"{self.shell}\n{self.here(command)}\nended=$?\n"
                  f"set | grep '^TOKEN=' >'{self.top}/variables'\nexit $ended\n")
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.top)
            os.execve("/bin/sh", ["sh", "-c", script], self.environment)
        said, deadline, stopped = b"", time.monotonic() + SECONDS, None
        while True:
            if not select.select([terminal], [], [], 0.2)[0]:
                if time.monotonic() > deadline:
                    os.kill(pid, signal.SIGKILL)
                    raise Wrong(f"does not end: {command}")
                if meanwhile is not None and stopped is None and said:
                    if subprocess.run(["sh", "-c", self.here(meanwhile)], cwd=self.top,
                                      env=self.environment, stdout=subprocess.DEVNULL).returncode:
                        os.kill(pid, signal.SIGKILL)
                        raise Wrong(f"fails: {meanwhile}")
                    stopped = time.monotonic() + 2
                if stopped is not None and time.monotonic() > stopped:
                    os.write(terminal, b"\x03")
                    stopped += SECONDS
                continue
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            if not piece:
                break
            said += piece
            if typed and said.endswith(b"[y/N] "):
                os.write(terminal, typed.pop(0).encode() + b"\n")
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(terminal)
        kept = self.top / "variables"
        if kept.exists():
            self.shell = kept.read_text()
        text = said.decode().replace("\r\n", "\n").replace("^C", "")
        return self.there(text).rstrip("\n"), 0 if meanwhile is not None else status


def learn_ids(run, expected, said):
    """An id of the document stands for the one that came in its place."""
    for theirs, ours in zip(IDS.findall(expected), IDS.findall(said)):
        run.ids.setdefault(theirs, ours)


def plain(run, text):
    for theirs, ours in run.ids.items():
        text = text.replace(theirs, ours)
    return TIMES.sub("(a time)", text)


def is_like(expected, said):
    pattern = ".*".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, said, re.S) is not None


def without_fleeting(j):
    if isinstance(j, dict):
        return {k: "…" if FLEETING.search(k) else without_fleeting(v) for k, v in j.items()}
    return [without_fleeting(v) for v in j] if isinstance(j, list) else j


def differs(expected, said, at=""):
    """The first place where two JSON values differ; None where they do not."""
    if isinstance(expected, dict) and isinstance(said, dict):
        for name in expected | said:
            if name not in expected or name not in said:
                return f"{at}/{name} is {'not there any more' if name in expected else 'new'}"
            if (found := differs(expected[name], said[name], f"{at}/{name}")) is not None:
                return found
        return None
    if isinstance(expected, list) and isinstance(said, list) and len(expected) == len(said):
        found = (differs(e, s, f"{at}/{i}") for i, (e, s) in enumerate(zip(expected, said)))
        return next((f for f in found if f is not None), None)
    if isinstance(expected, str) and isinstance(said, str) and is_like(expected, said):
        return None
    return None if expected == said else f"{at or '/'}: {json.dumps(expected)} stands there, {json.dumps(said)} came"


def field(j, path):
    for name in path.split("."):
        j = j[int(name)] if isinstance(j, list) else j[name]
    return j


def compare_line(run, expected, said, fields):
    expected, said = plain(run, expected), plain(run, said)
    try:
        theirs, ours = json.loads(expected), json.loads(said)
    except ValueError:
        return None if is_like(expected, said) else f"{expected}\nstands there, and this came:\n{said}"
    if fields and isinstance(theirs, dict):
        theirs, ours = ({f: field(j, f) for f in fields} for j in (theirs, ours))
    return differs(without_fleeting(theirs), without_fleeting(ours))


def compare(run, expected, said, fields):
    learn_ids(run, expected, said)
    expected, said = expected.split("\n"), said.split("\n")
    at = 0
    for number, line in enumerate(expected):
        if line == "…":
            if number + 1 == len(expected):
                return None
            while at < len(said) and compare_line(run, expected[number + 1], said[at], fields):
                at += 1
            continue
        if at == len(said):
            return f"this did not come: {line}"
        if (wrong := compare_line(run, line, said[at], fields)) is not None:
            return wrong
        at += 1
    return None if at == len(said) else f"this came besides: {said[at]}"


def main():
    build, name = sys.argv[1:3]
    update = "--update" in sys.argv[3:]
    lines = pathlib.Path(name).read_text().split("\n")
    written, copied, ran, wrong = [], 0, 0, 0
    run = Run(build)
    try:
        run.start()
        for first, told, body in blocks(lines):
            if "not here" in told:
                continue
            if "daemon" in told:
                run.start(told["daemon"])
            for at, prints, end in steps(body):
                command = "\n".join(body[at:prints])[2:]
                expected = "\n".join(body[prints:end]).rstrip("\n")
                said, status = run.run(command, expected, told.get("meanwhile"))
                ran += 1
                found = None
                if expected:
                    found = compare(run, expected, said, told.get("fields", "").split())
                    if found is not None and update and "…" not in expected:
                        written += lines[copied:first + prints] + said.split("\n")
                        copied = first + prints + len(expected.split("\n"))
                        # What is written now is what later commands of the document mean.
                        run.ids |= {i: i for i in IDS.findall(said)}
                elif status != 0 or '"status":4' in said:
                    found = f"it ended with {status}: {said}"
                if found is not None:
                    wrong += 1
                    print(f"{name}:{first + at + 1}: $ {command}\n  {found}")
    except Wrong as e:
        wrong += 1
        print(f"{name}: {e}")
    finally:
        run.stop()
        shutil.rmtree(run.top)
    if update:
        pathlib.Path(name).write_text("\n".join(written + lines[copied:]))
        return 0
    if ran == 0:
        print(f"{name}: no command was run")
    return 1 if wrong or ran == 0 else 0


sys.exit(main())
