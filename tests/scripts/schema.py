"""schema.py SCHEMA FILE...: every configuration of the tree is one that the schema
describes, and none with a field too many or out of range."""

import copy
import json
import re
import sys

from jsonschema import Draft202012Validator

TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|/\*.*?\*/', re.S)


def without_comments(text):
    return TOKENS.sub(lambda m: m[0] if m[0].startswith('"') else " ", text)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    failed = 0
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            config = json.loads(without_comments(file.read()))
        for error in validator.iter_errors(config):
            where = "/".join(str(step) for step in error.absolute_path)
            print(f"schema: {name}: /{where}: {error.message}", file=sys.stderr)
            failed += 1
        node = next(iter(config["pools"].values()))["nodes"] if config.get("pools") else []
        wrong = [({"stranger": 1}, "a stranger"), ({"limits": {"nodes": 0}}, "nodes: 0")]
        if node:
            bad = copy.deepcopy(config["pools"])
            next(iter(bad.values()))["nodes"][0]["wieght"] = 2
            wrong.append(({"pools": bad}, "a node with a wieght"))
        for change, what in wrong:
            if validator.is_valid({**config, **change}):
                print(f"schema: {name} with {what} would be valid", file=sys.stderr)
                failed += 1
    sys.exit(1 if failed or len(sys.argv) < 3 else 0)


main()
