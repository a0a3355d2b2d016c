"""Free ports of 127.0.0.1 for servers.

They are below those that the system gives to clients (32768 and more on Linux): a client that
tries again and again while its server is away would be given the server's own port one day,
and be connected with itself.
"""
import random
import socket


def free_port():
    while True:
        port = random.SystemRandom().randint(10000, 32767)
        with socket.socket() as s:
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass
