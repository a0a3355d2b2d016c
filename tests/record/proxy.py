"""A proxy between the recorder and a server, which does to the connection what networks
and poolers do to it, at a moment that the test chooses.

A test writes a Link: from_client() and from_server() see each message, and return whether
it goes on. cut() ends the connection; ask() sends the server a request of our own and
keeps its answer away from the client.
"""
import socket
import struct
import threading


class Cut(Exception):
    """The connection is to end here."""


class Link:
    """One connection. Messages are whole ones of the protocol, header included."""

    def __init__(self, proxy, client, server):
        self.proxy, self.client, self.server = proxy, client, server
        self.hidden = None  # set while an answer is kept from the client
        self.started = False

    # for tests to change
    def from_client(self, message):
        return True

    def from_server(self, message):
        return True

    def cut(self):
        for s in (self.client, self.server):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def ask(self, message):
        """The server gets it and the client does not see what it answers."""
        self.hidden = threading.Event()
        self.server.sendall(message)
        if not self.hidden.wait(10):
            raise Cut()
        self.hidden = None

    def pump(self, source, target, side):
        try:
            while True:
                message = self.read(source, side)
                if self.hidden and side == "server":
                    if self.ends_answer(message):
                        self.hidden.set()
                    continue
                with self.proxy.lock:
                    self.proxy.messages += 1
                goes_on = (self.from_client if side == "client" else self.from_server)(message)
                if goes_on:
                    target.sendall(message)
        except (OSError, Cut):
            pass
        self.cut()

    @staticmethod
    def take(source, count):
        data = b""
        while len(data) < count:
            more = source.recv(count - len(data))
            if not more:
                raise Cut()
            data += more
        return data


class PostgresLink(Link):
    def read(self, source, side):
        if side == "client" and not self.started:
            self.started = True
            head = self.take(source, 4)
            return head + self.take(source, struct.unpack(">I", head)[0] - 4)
        head = self.take(source, 5)
        return head + self.take(source, struct.unpack(">I", head[1:])[0] - 4)

    @staticmethod
    def request(sql):
        return b"Q" + struct.pack(">I", len(sql) + 5) + sql.encode() + b"\0"

    @staticmethod
    def ends_answer(message):
        return message[:1] == b"Z"

    @staticmethod
    def is_commit(message):
        return message[:1] == b"Q" and message[5:].rstrip(b"\0").endswith(b"COMMIT")

    @staticmethod
    def is_statement(message):  # of a transaction: its parameters come first
        return message[:1] == b"B"


class MariadbLink(Link):
    """Enough of the protocol: an answer is OK, an error, or columns and rows."""
    columns = 0  # definitions that are still to come, in the answer being read

    def read(self, source, side):
        head = self.take(source, 4)
        return head + self.take(source, head[0] | head[1] << 8 | head[2] << 16)

    @staticmethod
    def request(sql):
        return struct.pack("<I", len(sql) + 1)[:3] + b"\0\x03" + sql.encode()

    @staticmethod
    def ends_answer(message):
        return message[4] in (0, 0xff)  # only requests without rows are asked

    @staticmethod
    def sql(message):
        return message[5:] if message[3] == 0 and message[4] == 3 else b""

    def is_commit(self, message):
        return self.sql(message) == b"COMMIT"

    def is_statement(self, message):
        return self.sql(message)[:6] in (b"SELECT", b"UPDATE", b"INSERT") and b"alibi_mark" not in message

    @staticmethod
    def error(message):
        """The code, if the message is an error; else 0."""
        return message[5] | message[6] << 8 if message[4] == 0xff else 0


class Proxy:
    """Listens on a free port until the block ends."""

    def __init__(self, target, link):
        self.target, self.link = target, link
        self.lock = threading.Lock()
        self.messages = 0
        self.links = []

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.listener.close()
        for link in list(self.links):
            link.cut()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            for s in (client, server):
                s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link = self.link(self, client, server)
            self.links.append(link)
            for source, target, side in ((client, server, "client"), (server, client, "server")):
                threading.Thread(target=link.pump, args=(source, target, side), daemon=True).start()
