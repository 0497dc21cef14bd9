"""Every request of docs/serving-openapi.yaml is answered as it says.

    openapi_test.py PICKLOCK DOCUMENT
"""

import json
import subprocess
import sys
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import jsonschema
import yaml

PICKLOCK, DOCUMENT = sys.argv[1:]
with open(DOCUMENT, encoding="utf-8") as file:
    API = yaml.safe_load(file)


def resolved(node):
    """The node with what its references name."""
    if isinstance(node, list):
        return [resolved(one) for one in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        at = API
        for part in node["$ref"].removeprefix("#/").split("/"):
            at = at[part]
        return resolved(at)
    return {key: resolved(value) for key, value in node.items()}


def ask(port, method, path, body):
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(f"http://127.0.0.1:{port}{path}", data=data, method=method.upper())) as answer:
            return answer.status, answer.headers.get_content_type(), answer.read().decode()
    except HTTPError as error:
        return error.code, error.headers.get_content_type(), error.read().decode()


def check(port, method, path, operation, body, status):
    got, kind, text = ask(port, method, path, body)
    assert got == status, f"{method} {path}: {got}: {text}"
    content = operation["responses"][str(status)]["content"]
    assert kind in content, f"{method} {path}: {kind}"
    if kind == "application/json":
        jsonschema.validate(json.loads(text), content[kind]["schema"])


def main():
    servers = subprocess.Popen([PICKLOCK, "serve", "--redis", "replicas=1", "--manual", "--json", "--die-with-parent"],
                               stdout=subprocess.PIPE)
    ports = json.loads(servers.stdout.readline())
    subprocess.run(["redis-cli", "-p", str(ports["servers"][0]["port"]), "set", "orders", "a", "nx", "px", "1000"],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["redis-cli", "-p", str(ports["resource"]), "write", "bill", "paid"],
                   check=True, stdout=subprocess.DEVNULL)
    asked = 0
    for path, operations in resolved(API["paths"]).items():
        for method, operation in operations.items():
            where = path
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    where = where.replace("{%s}" % parameter["name"], parameter["example"])
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
            if body:
                jsonschema.validate(body["example"], body["schema"])
            if path != "/reset":  # nothing would be left to tell of
                check(ports["control"], method, where, operation, body.get("example"), 200)
                asked += 1
            if "400" in operation["responses"] and method == "post":
                bad = where.replace("redis-1", "redis-9")
                check(ports["control"], method, bad, operation, {"nonsense": True}, 400)
    check(ports["control"], "post", "/reset", resolved(API["paths"]["/reset"]["post"]), {"name": "next"}, 200)
    assert ask(ports["control"], "get", "/nowhere", None)[0] == 404
    assert ask(ports["control"], "get", "/advance", None)[0] == 405
    servers.terminate()
    assert servers.wait() == 0
    assert asked == 8, asked


main()
