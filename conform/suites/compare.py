#!/usr/bin/python3
"""Compares two reports of a test suite, as JUnit XML: of the real server, and of `picklock serve`.

    compare.py REAL MODEL

Lists each test that passes on the real server alone, with its reason. Exits with status 1 if there is any.
"""
import sys
import xml.etree.ElementTree


def results(path):
    """By name: None if the test passed, otherwise why it did not."""
    found = {}
    for case in xml.etree.ElementTree.parse(path).iter("testcase"):
        name = f'{case.get("classname")}: {case.get("name")}'
        if case.find("skipped") is not None:
            continue
        failure = case.find("failure")
        if failure is None:
            failure = case.find("error")
        reason = None
        if failure is not None:
            text = (failure.get("message") or failure.text or "").strip()
            reason = text.splitlines()[0][:100] if text else "it failed"
        found[name] = reason
    return found


real, model = (results(path) for path in sys.argv[1:3])
passed = [name for name, reason in real.items() if reason is None]
missing = [name for name in passed if model.get(name, "it was not reached") is not None]
print(f"{len(passed)} of {len(real)} pass on the real server, and {len(passed) - len(missing)} of these here")
for name in missing:
    print(f"  {name}: {model.get(name, 'it was not reached')}")
sys.exit(1 if missing else 0)
