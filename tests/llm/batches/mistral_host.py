"""Mistral's batch jobs and files on loopback, as its docs and mistralai have them."""

from __future__ import annotations

import json
import time
from typing import Any

from .loopback import KEY, Answering, Call, Loopback, Out
from .openai_host import chat_answer


class MistralHost(Loopback):
    """Jobs run when the test says so, or to the end at the next look."""

    def __init__(self, answer: Answering = chat_answer, runs_at_once: bool = True) -> None:
        super().__init__(answer)
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.runs_at_once = runs_at_once

    def handle(self, call: Call) -> Out:
        if call.headers.get("authorization") != f"Bearer {KEY}":
            return Out(401, {"detail": "Unauthorized"})
        match (call.method, *call.path.strip("/").split("/")):
            case ("POST", "files"):
                return self.upload(call)
            case ("GET", "files", file, "content") if file in self.files:
                return Out(200, self.files[file], {"content-type": "application/octet-stream"})
            case ("POST", "batch", "jobs"):
                return self.create(call)
            case ("GET", "batch", "jobs"):
                size, page = int(call.query.get("page_size", 100)), int(call.query.get("page", 0))
                rows = [*self.batches.values()][page * size :][:size]
                return Out(200, {"object": "list", "data": rows, "total": len(self.batches)})
            case ("GET", "batch", "jobs", job) if job in self.batches:
                if self.runs_at_once:
                    self.end(job, "SUCCESS", None)
                return Out(200, self.batches[job])
            case ("POST", "batch", "jobs", job, "cancel") if job in self.batches:
                self.end(job, "CANCELLED", 0)
                return Out(200, self.batches[job])
        return Out(404, {"object": "error", "message": f"no {call.path}", "type": "not_found"})

    def upload(self, call: Call) -> Out:
        form = call.form()
        assert form["purpose"][1] == b"batch"
        file = self.new_id("file-")
        self.files[file] = form["file"][1]
        return Out(200, {
            "id": file, "object": "file", "bytes": len(form["file"][1]), "created_at": 1,
            "filename": form["file"][0], "purpose": "batch", "sample_type": "batch_request",
            "source": "upload",
        })  # fmt: skip

    def create(self, call: Call) -> Out:
        body = call.json
        rows = [row for file in body["input_files"] for row in self.files[file].splitlines()]
        job = self.new_id("job-")
        self.batches[job] = {
            "id": job, "object": "batch", "input_files": body["input_files"],
            "endpoint": body["endpoint"], "model": body.get("model"), "errors": [],
            "metadata": body.get("metadata"), "status": "QUEUED", "created_at": int(time.time()),
            "total_requests": len(rows), "completed_requests": 0, "succeeded_requests": 0,
            "failed_requests": 0, "output_file": None, "error_file": None,
        }  # fmt: skip
        return Out(200, self.batches[job])

    def end(self, job: str, status: str, most: int | None) -> None:
        state = self.batches[job]
        if state["status"] not in ("QUEUED", "RUNNING"):
            return
        good: list[Any] = []
        bad: list[Any] = []
        [file] = state["input_files"]
        for line in self.files[file].splitlines()[:most]:
            row = json.loads(line)
            code, body = self.answered({"model": state["model"], **row["body"]})
            reply = {"status_code": code, "body": body}
            made = {"id": "b", "custom_id": row["custom_id"], "response": reply, "error": None}
            (good if code < 400 else bad).append(made)
        for key, rows in (("output_file", good), ("error_file", bad)):
            if rows:
                state[key] = self.new_id("file-")
                ordered = rows[::-1] if self.backwards else rows
                data = b"".join(json.dumps(row).encode() + b"\n" for row in ordered)
                self.files[state[key]] = data
        if bad:
            state["errors"] = [{"message": "bad request", "count": len(bad)}]
        state.update(
            status=status, succeeded_requests=len(good), failed_requests=len(bad),
            completed_requests=len(good) + len(bad),
        )  # fmt: skip
