#!/usr/bin/env python3
"""A page of HTML as C: one file out of the page and what it links to.

Style sheets and scripts that the page names are put into it, so that it is one file.
Each gets into the policy of the page by its hash.

Of a report these are the fixed parts: `<!-- slot: NAME -->` are the places that it
fills. src/report/page.h has the declarations. Other pages are one array, NAME_page, as
NAME_page.h declares it: that of a watch (live) and that of compared levels (lattice).

    page.py PAGE.html FIGURE.css OUT.c
    page.py PAGE.html OUT.c
"""
import base64
import hashlib
import os
import re
import sys


def c_array(name, text):
    data = text.encode("utf-8")
    lines = [", ".join("%d" % b for b in data[i:i + 20]) for i in range(0, len(data), 20)]
    return "static const unsigned char %s[] = {\n%s,\n};\n" % (name, ",\n".join(lines))


def inlined(page, folder):
    """The page with the files it names in it, and the hashes of these by kind."""
    hashes = {"style": [], "script": []}

    def put(kind):
        def replace(match):
            text = "".join(open(os.path.join(folder, name), encoding="utf-8").read()
                           for name in re.findall(r'(?:href|src)="([^"]+)"', match.group(0)))
            assert "</" + kind not in text
            digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()
            hashes[kind].append("'sha256-%s'" % digest)
            return "<%s>%s</%s>" % (kind, text, kind)
        return replace

    page = re.sub(r'(<link rel="stylesheet" href="[^"]+">\s*)+', put("style"), page)
    page = re.sub(r'(<script src="[^"]+"></script>\s*)+', put("script"), page)
    return page, hashes


def whole(source):
    page = open(source, encoding="utf-8").read()
    page, hashes = inlined(page, os.path.dirname(source))
    for kind, found in hashes.items():
        assert found, "%s names no %s" % (source, kind)
        page = page.replace("'%s-hash'" % kind, " ".join(found))
    return page


def public_array(name, text):
    return "%sconst size_t %s_length = sizeof %s;\n" % (
        c_array(name, text).replace("static ", ""), name, name)


def alone(source, out):
    name = os.path.splitext(os.path.basename(source))[0] + "_page"
    with open(out, "w", encoding="utf-8") as f:
        f.write('/* Made by tools/page.py. */\n#include "%s.h"\n\n' % name)
        f.write(public_array(name, whole(source)))


def report(source, figure, out):
    page = whole(source)
    pieces = re.split(r"<!-- slot: (\w+) -->", page)
    texts, slots = pieces[::2], pieces[1::2] + [None]
    with open(out, "w", encoding="utf-8") as f:
        f.write('/* Made by tools/page.py. */\n#include "report/page.h"\n\n')
        for i, text in enumerate(texts):
            f.write(c_array("part_%d" % i, text))
        f.write("\nconst struct page_part page_parts[] = {\n")
        for i, slot in enumerate(slots):
            f.write("\t{part_%d, sizeof part_%d, %s},\n" %
                    (i, i, '"%s"' % slot if slot else "0"))
        f.write("};\n\n")
        f.write(public_array("figure_style", open(figure, encoding="utf-8").read()))


if __name__ == "__main__":
    (report if len(sys.argv) > 3 else alone)(*sys.argv[1:])
