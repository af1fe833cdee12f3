"""OpenAI's `/files` and `/batches` on loopback, as its API reference and SDK's types have them."""

from __future__ import annotations

import json
import time
from typing import Any

from .loopback import KEY, Answering, Call, Loopback, Out

LIMIT = 50_000


def chat_answer(body: dict[str, Any]) -> Any:
    """What the model says: the question, in other words."""
    question = body["messages"][-1]["content"]
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body["model"],
        "choices": [{
            "index": 0, "finish_reason": "stop",
            "message": {"role": "assistant", "content": f"You said {question}", "refusal": None},
        }],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
        "service_tier": "default",
    }  # fmt: skip


def without(data: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in data.items() if name not in names}


class OpenAIHost(Loopback):
    """Batches run when the test says so: `run`, `expire`, or to the end at the next look."""

    def __init__(self, answer: Answering = chat_answer, runs_at_once: bool = True) -> None:
        super().__init__(answer)
        self.files: dict[str, dict[str, Any]] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.runs_at_once = runs_at_once
        self.capitals = False
        self.key_header = "authorization"

    def handle(self, call: Call) -> Out:
        if call.headers.get(self.key_header, "").removeprefix("Bearer ") != KEY:
            error = {"message": "Incorrect API key provided", "code": "invalid_api_key"}
            return Out(401, {"error": error})
        match (call.method, *call.path.strip("/").split("/")):
            case ("POST", "files"):
                return self.upload(call)
            case ("GET", "files", file, "content") if file in self.files:
                return Out(200, self.files[file]["content"])
            case ("POST", "batches"):
                return self.create(call)
            case ("GET", "batches"):
                return self.list(call)
            case ("GET", "batches", batch) if batch in self.batches:
                if self.runs_at_once:
                    self.run(batch)
                return Out(200, self.shown(batch))
            case ("POST", "batches", batch, "cancel") if batch in self.batches:
                self.end(batch, "cancelled", 0)
                return Out(200, self.shown(batch))
        return Out(404, {"error": {"message": f"no {call.path}", "code": "not_found"}})

    def shown(self, batch: str) -> dict[str, Any]:
        found = dict(self.batches[batch])
        if self.capitals:
            found["status"] = found["status"].upper()
        return found

    def upload(self, call: Call) -> Out:
        form = call.form()
        name, content = form["file"]
        file = self.new_id("file-")
        self.files[file] = {"content": content, "name": name, "purpose": form["purpose"][1]}
        return Out(200, {
            "id": file, "object": "file", "bytes": len(content), "created_at": int(time.time()),
            "filename": name, "purpose": "batch", "status": "processed",
        })  # fmt: skip

    def create(self, call: Call) -> Out:
        body = call.json
        assert body["input_file_id"] in self.files
        assert body["completion_window"] == "24h"
        assert self.files[body["input_file_id"]]["purpose"] == b"batch"
        batch = self.new_id("batch_")
        rows = self.rows(body["input_file_id"])
        self.batches[batch] = {
            "id": batch, "object": "batch", "endpoint": body["endpoint"],
            "input_file_id": body["input_file_id"], "completion_window": "24h",
            "status": "validating", "created_at": int(time.time()),
            "metadata": body.get("metadata"), "output_file_id": None, "error_file_id": None,
            "request_counts": {"total": len(rows), "completed": 0, "failed": 0}, "errors": None,
        }  # fmt: skip
        self.check(batch, rows)
        return Out(200, self.shown(batch))

    def rows(self, file: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.files[file]["content"].splitlines()]

    def check(self, batch: str, rows: list[dict[str, Any]]) -> None:
        """One line that is wrong fails the whole batch."""
        state = self.batches[batch]
        keys = set()
        faults = []
        for number, row in enumerate(rows, 1):
            if (
                row["url"] != state["endpoint"]
                or row["method"] != "POST"
                or row["custom_id"] in keys
            ):
                faults.append((number, "invalid_url_or_id", "this line is wrong"))
            keys.add(row["custom_id"])
            if row["body"].get("temperature") == 1.75:
                faults.append((number, "invalid_value", "temperature must not be 1.75"))
        if faults or len(rows) > LIMIT:
            data = [
                {"code": code, "message": text, "line": number, "param": None}
                for number, code, text in faults
            ]
            state.update(status="failed", errors={"object": "list", "data": data})

    def list(self, call: Call) -> Out:
        rows = [self.shown(batch) for batch in reversed(self.batches)]
        ids = [row["id"] for row in rows]
        start = ids.index(call.query["after"]) + 1 if "after" in call.query else 0
        page = rows[start : start + min(int(call.query.get("limit", 20)), 2)]  # small pages
        more = start + len(page) < len(rows)
        return Out(200, {
            "object": "list", "data": page, "has_more": more,
            "first_id": ids[start] if page else None, "last_id": page[-1]["id"] if page else None,
        })  # fmt: skip

    # -- what the provider does meanwhile ---------------------------------------------------------

    def run(self, batch: str) -> None:
        self.end(batch, "completed", None)

    def end(self, batch: str, status: str, most: int | None) -> None:
        """End a batch after `most` answers; the rest gets the error of its end."""
        state = self.batches[batch]
        if state["status"] not in ("validating", "in_progress"):
            return
        good: list[dict[str, Any]] = []
        bad: list[dict[str, Any]] = []
        rows = self.rows(state["input_file_id"])
        for number, row in enumerate(rows):
            line: dict[str, Any] = {
                "id": f"r{number}",
                "custom_id": row["custom_id"],
                "error": None,
            }
            if most is not None and number >= most:
                text = f"This request was not done, as the batch was {status}."
                line.update(response=None, error={"code": f"batch_{status}", "message": text})
                bad.append(line)
                continue
            code, body = self.answered(row["body"])
            line["response"] = {"status_code": code, "request_id": f"q{number}", "body": body}
            (good if code < 400 else bad).append(line)
        for key, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                file = self.new_id("file-")
                ordered = lines[::-1] if self.backwards else lines
                content = b"".join(json.dumps(line).encode() + b"\n" for line in ordered)
                self.files[file] = {"content": content, "name": "out.jsonl", "purpose": b"out"}
                state[key] = file
        counts = {"total": len(rows), "completed": len(good), "failed": len(bad)}
        state.update(status=status, request_counts=counts)


class TogetherHost(OpenAIHost):
    """Together's copy: its own path and purpose of uploads, capitals, a job in a reply, a list.

    Together's API reference, Upload a file, Create, List and Get batch jobs (2026-11-29).
    """

    def handle(self, call: Call) -> Out:
        if (call.method, call.path) == ("POST", "/files"):
            return Out(404, {"error": {"message": "use /files/upload"}})
        if (call.method, call.path) == ("POST", "/files/upload"):
            form = call.form()
            assert form["purpose"][1] == b"batch-api"
            assert form["file_name"][1] == form["file"][0].encode()
            return self.upload(call)
        out = super().handle(call)
        if call.path == "/batches":
            if call.method == "POST":
                return Out(200, {"job": out.body, "warning": ""})
            return Out(200, [self.shown(batch) for batch in self.batches])
        return out

    def create(self, call: Call) -> Out:
        assert "metadata" not in call.json
        self.files[call.json["input_file_id"]]["purpose"] = b"batch"
        return super().create(call)

    def shown(self, batch: str) -> dict[str, Any]:
        found = without(super().shown(batch), "request_counts", "errors", "metadata", "object")
        state = found["status"].upper()
        return {**found, "status": state, "created_at": "2026-11-29T10:00:00Z", "error": None}
