"""What tests compare with: labelled histories, another oracle, and what the documents say.

What is in ../shared, beside the project, only adds to what the project has itself."""
import importlib.util
import os
import re
import sys


def second_oracle(project):
    """Another brute force, ../shared/oracle/oracle.py, as a module, or None."""
    path = os.path.join(project, "..", "shared", "oracle", "oracle.py")
    if not os.path.exists(path):
        print("no second oracle at ../shared/oracle: nothing is compared with it")
        return None
    sys.dont_write_bytecode = True
    spec = importlib.util.spec_from_file_location("second_oracle", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def corpora(project):
    """The folders of histories with labels: our own, and ../shared/corpus if it is there."""
    folders = [os.path.join(project, "tests", "histories"), os.path.join(project, "..", "shared", "corpus")]
    if not os.path.exists(os.path.join(folders[1], "LABELS.tsv")):
        print("no recorded histories at ../shared/corpus: only those of tests/histories are tried")
        folders.pop()
    return folders


def forbidden_from(project):
    """name -> the weakest level that always forbids it, from docs/anomalies.md"""
    with open(os.path.join(project, "docs", "anomalies.md"), encoding="utf-8") as f:
        return dict(re.findall(r"^\| `([^`]+)` \|[^|]*\|[^|]*\| `(\w+)` \|$", f.read(), re.M))
