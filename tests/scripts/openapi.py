"""openapi.py DOCUMENT RECORD: holds what the integration tests asked, and what they
were answered, against /openapi.json.

Each answer is one that its operation lists: status, media type, headers, and a body
of its schema, in which a member that is not described is an error. Each body that was
accepted, and each query parameter, is one that the operation describes.
"""

import json
import re
import sys
from collections import Counter
from urllib.parse import parse_qsl, unquote

from jsonschema import Draft202012Validator

# Of HTTP itself and of libmicrohttpd, on any answer.
GENERAL = {"date", "content-length", "content-type", "connection", "transfer-encoding"}


def without_repeats(pairs):
    names = [name for name, _ in pairs]
    assert len(names) == len(set(names)), f"a member stands twice: {names}"
    return dict(pairs)


class Description:
    def __init__(self, document):
        self.root = document
        self.validators = {}
        self.paths = []
        for path, item in document["paths"].items():
            pattern = re.sub(r"\\{[a-z]+\\}", "[^/]+", re.escape(path))
            # "/nodes/{name}" comes after "/nodes/known": what is fixed goes first.
            self.paths.append((path.count("{"), re.compile(pattern), path, item))
        self.paths.sort(key=lambda entry: entry[0])

    def follow(self, value):
        while "$ref" in value:
            at = self.root
            for step in value["$ref"][2:].split("/"):
                at = at[step.replace("~1", "/")]
            value = at
        return value

    def dangling(self, value):
        """References that lead nowhere."""
        if isinstance(value, list):
            return [name for item in value for name in self.dangling(item)]
        if not isinstance(value, dict):
            return []
        found = [name for item in value.values() for name in self.dangling(item)]
        if isinstance(value.get("$ref"), str):
            try:
                self.follow(value)
            except KeyError:
                found.append(value["$ref"])
        return found

    def operation(self, method, path):
        if path.startswith("/v1/"):
            path = path[3:]
        for _, pattern, name, item in self.paths:
            if pattern.fullmatch(unquote(path)):
                method = "get" if method == "HEAD" else method.lower()
                return name, item.get(method)
        return None, None

    def mistake(self, schema, value):
        """The first thing that is wrong with a value, None where all is well."""
        key = json.dumps(schema, sort_keys=True)
        if key not in self.validators:
            whole = {"components": self.root["components"], **schema}
            self.validators[key] = Draft202012Validator(whole)
        for error in self.validators[key].iter_errors(value):
            where = "/".join(str(step) for step in error.absolute_path)
            inner = [f"{e.message[:200]}" for e in error.context or []][:3]
            return f"/{where}: {error.message[:300]} {inner or ''}"
        return None


def header_lines(text):
    pairs = [line.split(":", 1) for line in text.splitlines() if ":" in line]
    return {name.strip().lower(): value.strip() for name, value in pairs}


def media_of(headers):
    return headers.get("content-type", "").split(";")[0].strip()


def typed(schema, text):
    """A text of a query or a header as what its schema says."""
    if schema.get("type") in ("integer", "number"):
        return json.loads(text) if re.fullmatch(r"-?[0-9]+", text) else text
    if schema.get("type") == "boolean":
        return {"": True, "true": True, "false": False}.get(text, text)
    return text


def judge_parameters(d, operation, line):
    allowed = {}
    for parameter in operation["parameters"]:
        parameter = d.follow(parameter)
        allowed[parameter["in"], parameter["name"].lower()] = parameter["schema"]
    _, _, query = line["path"].partition("?")
    for name, value in parse_qsl(query, keep_blank_values=True, errors="replace"):
        schema = allowed.get(("query", name))
        if schema is None:
            return f"the parameter {name} is not described"
        mistake = d.mistake(schema, typed(schema, value))
        if mistake:
            return f"parameter {name}: {mistake}"
    for name in header_lines(line["headers"]):
        ours = name.startswith("hrw-") or name in ("if-match", "if-none-match", "prefer")
        # Elsewhere these are not regarded.
        if ours and name.startswith("hrw-key") and ("header", name) not in allowed:
            return f"the header {name} is not described"
    return None


def judge_body(d, operation, line):
    headers = header_lines(line["headers"])
    if "body" not in line or "requestBody" not in operation:
        return None
    content = operation["requestBody"]["content"]
    media = media_of(headers) or next(iter(content))
    if media not in content:
        return f"the body's type {media} is not described"
    if media in ("text/plain", "application/x-ndjson"):
        return None
    mistake = d.mistake(content[media]["schema"], json.loads(line["body"]))
    return mistake and f"body: {mistake}"


def judge_answer(d, operation, line):
    response = operation["responses"].get(str(line["status"]))
    if response is None:
        return f"the status {line['status']} is not described"
    response = d.follow(response)
    headers = header_lines(line["answer_headers"])
    described = {name.lower(): h for name, h in response.get("headers", {}).items()}
    for name, value in headers.items():
        if name in GENERAL:
            continue
        # What was read of the pool before the refusal may be told with it.
        if name in ("etag", "hrw-epoch", "hrw-fingerprint") and line["status"] >= 400:
            continue
        if name not in described:
            return f"the header {name} is not described"
        schema = d.follow(described[name])["schema"]
        mistake = d.mistake(schema, typed(schema, value))
        if mistake:
            return f"header {name}: {mistake}"
    if line["method"] == "HEAD" or not line.get("answer"):
        return None
    media = media_of(headers)
    content = response.get("content", {})
    if not media and line["status"] in (414, 431):
        return None  # the HTTP library's own
    if media not in content:
        return f"the answer's type {media} is not described"
    if media == "application/x-ndjson" or not media.endswith("json"):
        return None
    mistake = d.mistake(content[media]["schema"], json.loads(line["answer"]))
    return mistake and f"answer: {mistake}"


def would_take_a_stranger(d, operation, line):
    """Is this very answer, with a member more, still what is described?"""
    media = media_of(header_lines(line["answer_headers"]))
    if media != "application/json" or not line.get("answer", "").startswith("{"):
        return False
    more = {**json.loads(line["answer"]), "stranger": 1}
    return judge_answer(d, operation, {**line, "answer": json.dumps(more)}) is None


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        d = Description(json.load(file, object_pairs_hook=without_repeats))
    judged, strangers = Counter(), {}
    failed = Counter(f"{name} leads nowhere" for name in d.dangling(d.root))
    with open(sys.argv[2], encoding="utf-8") as file:
        for text in file:
            line = json.loads(text)
            name, operation = d.operation(line["method"], line["path"].partition("?")[0])
            if operation is None:
                if line["status"] < 400:
                    failed[line["method"] + " " + line["path"] + " is not described"] += 1
                continue
            mistake = judge_answer(d, operation, line)
            if mistake is None and line["status"] < 400:
                mistake = judge_parameters(d, operation, line) or judge_body(d, operation, line)
            judged[line["method"] + " " + name] += 1
            if mistake:
                failed[f"{line['method']} {name} {line['status']}: {mistake}"] += 1
            elif line["status"] == 200 and name != "/openapi.json":
                row = line["method"] + " " + name
                strangers[row] = would_take_a_stranger(d, operation, line)
    for name in [name for name, takes in strangers.items() if takes]:
        failed[f"{name} would take a member that is not described"] += 1
    for mistake, count in failed.most_common(40):
        print(f"openapi: {mistake} ({count} times)", file=sys.stderr)
    total = sum(judged.values())
    print(f"openapi: {total} answers of {len(judged)} operations, {sum(failed.values())} at fault")
    sys.exit(1 if failed or total == 0 else 0)


main()
