"""What tests compare with: what stands beside the project, in ../shared (without it, a skip is
counted), and what the documents say."""
import os
import re
import sys

import counted


def oracle(project):
    """The brute force of ../shared/oracle/oracle.py, as a module, or None."""
    folder = os.path.join(project, "..", "shared", "oracle")
    if not os.path.exists(os.path.join(folder, "oracle.py")):
        counted.skip("the brute-force oracle is not at ../shared/oracle")
        return None
    sys.dont_write_bytecode = True
    sys.path.append(folder)
    import oracle as module
    return module


def corpus(project):
    """The folder of histories with labels, or None."""
    folder = os.path.join(project, "..", "shared", "corpus")
    if not os.path.exists(os.path.join(folder, "LABELS.tsv")):
        counted.skip("the corpus is not at ../shared/corpus")
        return None
    return folder


def forbidden_from(project):
    """name -> the weakest level that always forbids it, from docs/anomalies.md"""
    with open(os.path.join(project, "docs", "anomalies.md"), encoding="utf-8") as f:
        return dict(re.findall(r"^\| `([^`]+)` \|[^|]*\|[^|]*\| `(\w+)` \|$", f.read(), re.M))
