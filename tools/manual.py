#!/usr/bin/env python3
"""Makes the manual page alibi.3 from alibi.h.

The opening comment becomes the description, and each section of the header ("---- levels ----") one of
the page: its comments as text, and the declarations as they are. The synopsis lists the functions.

    manual.py HEADER VERSION OUTPUT
"""
import re
import sys


def escaped(text):
    """As troff prints it: no escapes, no requests, and minus signs that can be searched for."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(c if ord(c) < 128 else "\\[u%04X]" % ord(c) for c in text)
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.M)


def prose(text):
    text = re.sub(r"`([^`]+)`", r"\\fB\1\\fR", escaped(text))
    return re.sub(r"\b(alibi_\w+(?:\(\))?|ALIBI_\w+)", r"\\fB\1\\fR", text)


def code(text):
    if "ALIBI_API " in text:  # goes, and what follows stays aligned
        text = re.sub(r"^(?:ALIBI_API | {10})", "", text, flags=re.M)
    text = re.sub(r" +\\$", r" \\", text, flags=re.M)
    return "\n".join([".RS 4", ".EX", escaped(text.expandtabs(4)), ".EE", ".RE"])


def paragraphs(comment):
    """Of a comment: its text; what is indented is code. A word that opens one as a title is bold."""
    text = re.sub(r"^ ?\* ?", "", comment.strip()[2:-2], flags=re.M).strip()
    for paragraph in re.split(r"\n\s*\n", text):
        if all(line.startswith("    ") for line in paragraph.split("\n")):
            yield code(re.sub(r"^    ", "", paragraph, flags=re.M))
        else:
            yield ".PP\n" + re.sub(r"^([A-Z]\w+)\. ", r".B \1.\n", prose(re.sub(r"\n +", "\n", paragraph)))


def section(body):
    """Comments in the first column are text, all else is code."""
    for part in re.split(r"^(/\*.*?\*/)$", body, flags=re.M | re.S):
        if part.startswith("/*"):
            yield from paragraphs(part)
        else:
            yield "\n.PP\n".join(code(block) for block in part.strip("\n").split("\n\n") if block)


def synopsis(functions):
    yield ".nf\n.B #include <alibi.h>\n.PP"
    for function in functions:
        yield escaped(re.sub(r"\s+", " ", function))
    yield ".fi\n.PP\n" + escaped("cc program.c $(pkg-config --cflags --libs alibi)")


def page(header, version):
    opening, rest = re.match(r"(/\*.*?\*/)\n(.*)", header, re.S).groups()
    rest = rest[:rest.rindex("#ifdef __cplusplus")]
    before, *sections = re.split(r"^/\* ---- (.*) ---- \*/$", rest, flags=re.M)
    yield '.TH ALIBI 3 "" "alibi %s" "Library Functions Manual"' % version
    summary, description = re.match(r"/\*\n \* alibi: (.*?)\.\n \*\n(.*)", opening, re.S).groups()
    yield ".SH NAME\nalibi \\- " + escaped(summary)
    yield ".SH SYNOPSIS"
    yield from synopsis(re.findall(r"^ALIBI_API (.*?;)", rest, re.M | re.S))
    yield ".SH DESCRIPTION"
    yield from paragraphs("/*\n" + description)
    yield from section(before[before.rindex("#endif\n") + len("#endif\n"):])
    for name, body in zip(sections[::2], sections[1::2]):
        yield ".SH " + escaped(name.upper())
        yield from section(body)
    yield ".SH SEE ALSO\n.BR alibi (1)"


def main():
    path, version, output = sys.argv[1:]
    with open(path, encoding="utf-8") as f:
        text = "\n".join(filter(None, page(f.read(), version)))
    with open(output, "w", encoding="ascii") as f:
        f.write(text + "\n")


if __name__ == "__main__":
    main()
