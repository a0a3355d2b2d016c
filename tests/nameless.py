"""Small histories as `alibi synth` and `alibi levels` print them, compared but for names.

A line is a transaction: s1: T1 r(x,null) w(y,1). Which key is read first does not count.
"""
import itertools
import re


def parsed(text):
    """(session, reads {key: value}, writes {key: value}) for each transaction."""
    txns = []
    for line in text.splitlines():
        session, ops = re.fullmatch(r"s(\d+): T\d+((?: [rw]\(\w+,\w+\))+)", line).groups()
        ops = re.findall(r"([rw])\((\w+),(\w+)\)", ops)
        txns.append((session, {k: v for kind, k, v in ops if kind == "r"},
                     {k: v for kind, k, v in ops if kind == "w"}))
    return txns


def nameless(text):
    """The same for two histories that differ only in names."""
    txns, forms = parsed(text), []
    keys = sorted({k for _, r, w in txns for k in (*r, *w)})
    writer = {(k, v): i for i, (_, _, w) in enumerate(txns) for k, v in w.items()}
    for order in itertools.permutations(range(len(txns))):
        place = {t: i for i, t in enumerate(order)}
        so = sorted((place[a], place[b]) for b in range(len(txns)) for a in range(b)
                    if txns[a][0] == txns[b][0])
        if any(a > b for a, b in so):
            continue
        for renamed in itertools.permutations(range(len(keys))):
            name = dict(zip(keys, renamed))
            form = [sorted([(0, name[k], place.get(writer.get((k, v)), -1)) for k, v in r.items()] +
                           [(1, name[k]) for k in w]) for _, r, w in (txns[t] for t in order)]
            forms.append((so, form))
    return repr(min(forms))
