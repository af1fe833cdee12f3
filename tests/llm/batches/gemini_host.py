"""Gemini's batches and files on loopback, as its docs and google-genai have them."""

from __future__ import annotations

import json
from typing import Any

from .loopback import KEY, Answering, Call, Loopback, Out


def content(body: dict[str, Any]) -> Any:
    question = body["contents"][-1]["parts"][0]["text"]
    part = {"text": f"You said {question}"}
    return {
        "candidates": [
            {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": 1000, "candidatesTokenCount": 100, "totalTokenCount": 1100,
        },
        "modelVersion": "gemini-2.5-flash", "responseId": "r1",
    }  # fmt: skip


class GeminiHost(Loopback):
    """Batches run when the test says so, or to the end at the next look."""

    base = "/v1beta"

    def __init__(self, answer: Answering = content, runs_at_once: bool = True) -> None:
        super().__init__(answer)
        self.batches: dict[str, dict[str, Any]] = {}
        self.requests: dict[str, list[tuple[Any, Any]]] = {}
        self.files: dict[str, bytes] = {}
        self.metadata_comes_back = True
        self.runs_at_once = runs_at_once

    def handle(self, call: Call) -> Out:
        if call.path.startswith("/upload/v1beta/files"):
            return self.upload(call)
        if call.headers.get("x-goog-api-key") != KEY:
            return _error(401, "UNAUTHENTICATED", "API key not valid")
        path = call.path.strip("/")
        name, _, verb = path.partition(":")
        if verb == "batchGenerateContent":
            return self.create(call, name)
        if (call.method, path) == ("GET", "batches"):
            return self.list(call)
        if verb == "cancel" and name in self.batches:
            self.end(name, "CANCELLED", 0)
            return Out(200, {})
        if verb == "download" and name in self.files and call.query.get("alt") == "media":
            return Out(200, self.files[name], {"content-type": "application/jsonl"})
        if call.method == "GET" and name in self.batches:
            if self.runs_at_once:
                self.end(name, "SUCCEEDED", None)
            return Out(200, self.batches[name])
        return _error(404, "NOT_FOUND", f"no {path}")

    def upload(self, call: Call) -> Out:
        if call.headers.get("x-goog-upload-command") == "start":
            assert call.headers.get("x-goog-api-key") == KEY
            name = f"files/{self.new_id('f')}"
            self.files[name] = call.headers["x-goog-upload-header-content-length"].encode()
            url = f"{self.url.removesuffix(self.base)}/upload/v1beta/files?upload_id={name}"
            return Out(200, {}, {"x-goog-upload-url": url, "x-goog-upload-status": "active"})
        name = call.query["upload_id"]
        assert self.files[name] == str(len(call.body)).encode()
        self.files[name] = call.body
        file = {"name": name, "mimeType": "application/jsonl", "sizeBytes": str(len(call.body))}
        return Out(200, {"file": file}, {"x-goog-upload-status": "final"})

    def create(self, call: Call, model: str) -> Out:
        batch = call.json["batch"]
        source = batch["inputConfig"]
        if "fileName" in source:
            lines = map(json.loads, self.files[source["fileName"]].splitlines())
            rows = [(row["key"], row["request"]) for row in lines]
        else:
            inline = source["requests"]["requests"]
            rows = [(row.get("metadata"), row["request"]) for row in inline]
        name = f"batches/{self.new_id('b')}"
        self.requests[name] = rows
        self.batches[name] = {
            "name": name,
            "metadata": {
                "@type": "type.googleapis.com/x.GenerateContentBatch",
                "model": model, "displayName": batch["displayName"],
                "state": "BATCH_STATE_PENDING", "createTime": "2026-11-29T10:00:00Z",
                "batchStats": {"requestCount": str(len(rows))},
                "name": name, "inputConfig": source if "fileName" in source else {},
            },
        }  # fmt: skip
        return Out(200, self.batches[name])

    def list(self, call: Call) -> Out:
        names = [*self.batches]
        start = int(call.query.get("pageToken", 0))
        page = {"operations": [self.batches[name] for name in names[start : start + 2]]}
        more = {"nextPageToken": str(start + 2)} if start + 2 < len(names) else {}
        return Out(200, {**page, **more})

    def end(self, name: str, state: str, most: int | None, fault: str = "") -> None:
        batch = self.batches[name]
        about = batch["metadata"]
        if about["state"] != "BATCH_STATE_PENDING":
            return
        about["state"] = f"BATCH_STATE_{state}"
        batch["done"] = True
        if fault:
            batch["error"] = {"code": 3, "message": fault}
            return
        rows = []
        for key, request in self.requests[name][:most]:
            status, body = self.answered(request)
            row = {"response": body} if status < 400 else {"error": body}
            mark = {"key": key} if isinstance(key, str) else {"metadata": key}
            rows.append({**(mark if self.metadata_comes_back else {}), **row})
        bad = sum("error" in row for row in rows)
        about["batchStats"].update(
            successfulRequestCount=str(len(rows) - bad), failedRequestCount=str(bad)
        )
        if "fileName" in about["inputConfig"]:
            file = f"files/{self.new_id('out')}"
            ordered = rows[::-1] if self.backwards else rows
            self.files[file] = b"".join(json.dumps(row).encode() + b"\n" for row in ordered)
            output: dict[str, Any] = {"responsesFile": file}
        else:
            output = {"inlinedResponses": {"inlinedResponses": rows}}
        about["output"] = output
        batch["response"] = {"@type": "type.googleapis.com/x.GenerateContentBatchOutput", **output}


def _error(status: int, word: str, text: str) -> Out:
    return Out(status, {"error": {"code": status, "status": word, "message": text}})
