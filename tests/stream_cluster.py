#!/usr/bin/env python3
"""alibi watch on NATS JetStream while nodes of its cluster are killed, and its network is cut.

Three servers of the test's own, on free ports of 127.0.0.1, keep a stream in three copies.
One of them is killed again and again and comes back, and the next is killed when all have
caught up. Then the watch runs in a network namespace of its own, whose only link to the server is
cut and healed; here it has a deadline, and the server is away for longer than that. The log must be that of a watch which read the same messages
as a file: nothing lost, nothing twice, nothing false.

    stream_cluster.py ALIBI [NODE_KILLS [CUTS [SEED]]]
"""
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

import counted
from counted import check
from ports import free_port
from stream_nats import Client, Collector, Server, Trial, create_stream, wait_for, why_not

TXNS = 150  # for each fault


def start_cluster(folder):
    routes = [free_port() for _ in range(3)]
    others = ",".join("nats://127.0.0.1:%d" % port for port in routes)
    return [Server(os.path.join(folder, "node%d" % i), more=(
        "--server_name", "node%d" % i, "--cluster_name", "alibi", "--cluster", "nats://127.0.0.1:%d" % port,
        "--routes", others)) for i, port in enumerate(routes)]


def all_current(nodes):
    """Every node has a leader of the stream to ask, and all copies are up to date."""
    for node in nodes:
        try:
            cluster = Client(node.port).request("$JS.API.STREAM.INFO.TXNS", b"")["cluster"]
        except (OSError, TypeError, KeyError):
            return False
        copies = cluster.get("replicas", [])
        if not cluster.get("leader") or len(copies) < 2 or not all(c.get("current") for c in copies):
            return False
    return True


def publish(trial, rng, collector, faults, strike, pause=0):
    """All messages, some of them twice, with faults at random places among them."""
    places = sorted(rng.randrange(len(trial.messages)) for _ in range(faults))
    for i, message in enumerate(trial.messages):
        collector.send(message)
        time.sleep(pause)
        if i == 0:
            wait_for(lambda: os.path.exists(trial.mark), 20)
        if rng.random() < 0.05:
            collector.send(message)
        while places and places[0] <= i:
            places.pop(0)
            strike()


def kill_nodes(alibi, rng, folder, kills):
    trial = Trial(alibi, rng, folder, TXNS * kills + 1000)
    nodes = start_cluster(folder)
    try:
        if not check("the cluster starts", create_stream(nodes[0].port, replicas=3)
                     and wait_for(lambda: all_current(nodes), 30)):
            return
        trial.watch("nats://%s/TXNS" % ",".join("127.0.0.1:%d" % node.port for node in nodes))
        collector, down = Collector(*(node.port for node in nodes)), []

        def strike():
            if down:
                down.pop().start()
                wait_for(lambda: all_current(nodes), 60)
            down.append(rng.choice(nodes))
            down[0].kill()

        publish(trial, rng, collector, kills, strike)
        check("all is found while a node is down", wait_for(trial.has_all, 60))  # with two nodes of three
        trial.end(collector.sent)
    finally:
        for node in nodes:
            node.kill()
    print("%d kills of a node, %d messages, sent %d times, %d violations"
          % (kills, len(trial.messages), collector.sent, len(trial.wanted)))


class Link:
    """A network namespace, and the only way into it."""

    def __init__(self):
        self.name, self.here, self.there = "alibi-%d" % os.getpid(), "al%da" % os.getpid(), "al%db" % os.getpid()
        third = os.getpid() % 250
        self.address, other = "10.231.%d.1" % third, "10.231.%d.2" % third
        self.ip("netns", "add", self.name)
        self.ip("link", "add", self.here, "type", "veth", "peer", "name", self.there, "netns", self.name)
        self.ip("addr", "add", self.address + "/30", "dev", self.here)
        self.ip("link", "set", self.here, "up")
        self.ip("-n", self.name, "addr", "add", other + "/30", "dev", self.there)
        self.ip("-n", self.name, "link", "set", self.there, "up")

    @staticmethod
    def ip(*words):
        subprocess.run(["ip", *words], check=True, capture_output=True)

    def inside(self):
        return ["ip", "netns", "exec", self.name]

    def cut_for(self, seconds):
        self.ip("-n", self.name, "link", "set", self.there, "down")
        time.sleep(seconds)
        self.ip("-n", self.name, "link", "set", self.there, "up")

    def remove(self):
        subprocess.run(["ip", "netns", "del", self.name])


def cut_network(alibi, rng, folder, cuts):
    """With a deadline that is shorter than some of the cuts, and than the server is away once."""
    trial = Trial(alibi, rng, folder, TXNS * cuts + 1000, words=["--deadline", "3s"])
    try:
        link = Link()
    except (OSError, subprocess.CalledProcessError) as e:
        return counted.skip("no network namespace can be made here (%s)" % e)
    server = Server(os.path.join(folder, "cut"), host=link.address)
    try:
        if not check("the server starts", create_stream(server.port, link.address)):
            return
        trial.watch("nats://%s:%d/TXNS" % (link.address, server.port), link.inside())
        collector = Collector(server.port, host=link.address)
        lengths, healing = [rng.uniform(0.2, 2) if i % 4 else rng.uniform(4, 6) for i in range(cuts)], []

        def strike():
            """Messages are published while the link is cut."""
            for thread in healing:
                thread.join()
            if not lengths:
                server.kill()
                time.sleep(4.5)
                server.start()
                return
            healing[:] = [threading.Thread(target=link.cut_for, args=[lengths.pop()])]
            healing[0].start()

        publish(trial, rng, collector, cuts + 1, strike, 0.03)
        for thread in healing:
            thread.join()
        wait_for(trial.has_all, 60)
        trial.end(collector.sent)
    finally:
        server.kill()
        link.remove()
    print("%d cuts of the network, the server once away, %d messages, sent %d times, %d violations"
          % (cuts, len(trial.messages), collector.sent, len(trial.wanted)))


def main():
    alibi = os.path.abspath(sys.argv[1])
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    cuts = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    skipped = why_not(alibi)
    if skipped:
        counted.skip(skipped)
        return counted.close()
    for trial, faults in ((kill_nodes, kills), (cut_network, cuts)):
        with tempfile.TemporaryDirectory() as folder:
            began = time.time()
            trial(alibi, rng, folder, faults)
            print("%.0f s" % (time.time() - began))
    return counted.close()


if __name__ == "__main__":
    sys.exit(main())
