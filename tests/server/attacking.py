"""Attacks on a pause over HTTP, from a process of its own.

python -m tests.server.attacking URL      # what is asked for, as JSON on the input; what came, as JSON on the output

All of them are sent at the same moment, each by a connection of its own.

In: a list of requests `{"name", "path", "body", "key"}`. Out: by name, the status and the code that came.
"""

from __future__ import annotations

import http.client
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any
from urllib.parse import urlsplit

LONGEST_S = 20.0


def asked(url: str, request: dict[str, Any]) -> list[Any]:
    """Status and code of one request."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=LONGEST_S)
    try:
        headers = {"content-type": "application/json", "x-api-key": request["key"]}
        connection.request("POST", request["path"], body=json.dumps(request["body"]), headers=headers)
        response = connection.getresponse()
        return [response.status, json.loads(response.read()).get("code")]
    finally:
        connection.close()


if __name__ == "__main__":
    requests = json.load(sys.stdin)
    with ThreadPoolExecutor(len(requests)) as threads:
        came = threads.map(partial(asked, sys.argv[1]), requests)
        sys.stdout.write(json.dumps(dict(zip([one["name"] for one in requests], came, strict=True))))
