"""Have TRL, llamafactory and `datasets` load files of training data that Dragoman wrote.

They need gigabytes of other packages, so this is no test, and runs in an environment of its own:

    pip install datasets transformers && pip install --no-deps trl llamafactory
    python tests/batch/record_forms/real_loaders.py FORM FILE.jsonl

It ends with 1 if a record is refused, or skipped as broken. `loaders.py` has the same rules,
written from the sources of these libraries, for the tests.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import types
from enum import StrEnum
from pathlib import Path
from typing import Any


def find_package(name: str) -> Path:
    """The folder of an installed package, which is not imported: it would ask for torch."""
    spec = importlib.util.find_spec(name)
    assert spec is not None, f"{name} is not installed"
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])


def load_module(name: str, path: Path) -> Any:
    """One module of such a package."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class Warnings:
    """The logger of llamafactory, which warns of a record that it skips."""

    count = 0

    def warning_rank0(self, _: str) -> None:
        """A record is skipped."""
        self.count += 1

    def warning_rank0_once(self, _: str) -> None:
        """A medium is not below the folder of media."""


def load_llamafactory(warnings: Warnings) -> tuple[Any, Any]:
    """Its converters and its description of a data set, without what only training needs."""
    home = find_package("llamafactory")
    for name in ("", ".data", ".extras"):
        package = types.ModuleType(f"llamafactory{name}")
        package.__path__ = [str(home / name.removeprefix("."))]
        sys.modules[f"llamafactory{name}"] = package
    roles = {"USER": "user", "ASSISTANT": "assistant", "SYSTEM": "system"}
    roles |= {"FUNCTION": "function", "OBSERVATION": "observation"}
    stubs: dict[str, dict[str, Any]] = {
        "data.data_utils": {"Role": StrEnum("Role", roles)},
        "extras.logging": {"get_logger": lambda _: warnings},
        "extras.constants": {"DATA_CONFIG": ""},
        "extras.misc": {"use_modelscope": bool, "use_openmind": bool},
    }
    for name, fields in stubs.items():
        stub = types.ModuleType(f"llamafactory.{name}")
        vars(stub).update(fields)
        sys.modules[f"llamafactory.{name}"] = stub
        setattr(sys.modules[f"llamafactory.{name.split('.')[0]}"], name.split(".")[1], stub)
    names = ("converter", "parser")
    modules = [
        load_module(f"llamafactory.data.{name}", home / "data" / f"{name}.py") for name in names
    ]
    return modules[0], modules[1]


def judge_llamafactory(form: str, records: list[Any]) -> list[str]:
    """What its converter says of each record."""
    warnings = Warnings()
    converters, parser = load_llamafactory(warnings)
    names = {"alpaca": "AlpacaDatasetConverter", "sharegpt": "SharegptDatasetConverter"}
    faults = []
    for i, given in enumerate(records):
        pair = "chosen" in given
        columns = {"system": "system", "tools": "tools", "images": "images"}
        columns |= {"history": "history"} if form == "alpaca" else {}
        columns |= {"chosen": "chosen", "rejected": "rejected"} if pair else {}
        attributes = parser.DatasetAttr("file", "x", formatting=form, ranking=pair)
        for name, column in columns.items():
            setattr(attributes, name, column)
        record = {**dict.fromkeys(columns.values()), "output": None, **given}
        arguments = types.SimpleNamespace(media_dir="")
        result = getattr(converters, names[form])(attributes, arguments)(record)
        if warnings.count or len(result["_response"]) != 1 + pair:
            faults.append(f"{form} {i}: skipped")
        warnings.count = 0
    return faults


def judge_trl(records: list[Any]) -> list[str]:
    """What TRL's functions say of each record, and `datasets` of all of them."""
    datasets: Any = importlib.import_module("datasets")
    trl = load_module("trl_data_utils", find_package("trl") / "data_utils.py")
    faults = []
    for i, record in enumerate(records):
        ends = [key for key in ("completion", "chosen", "rejected") if key in record]
        prompt = record.get("messages") or record["prompt"]
        for messages in [prompt + record[key] for key in ends] or [prompt]:
            try:
                assert trl.is_conversational(record)
                trl.prepare_multimodal_messages(messages, record.get("images"))
            except Exception as error:  # noqa: BLE001  # whatever it is, it is reported
                faults.append(f"trl {i}: {error!r}")
        if ends[-1:] == ["rejected"]:
            trl.extract_prompt(record)
        try:
            datasets.Dataset.from_list([record])
        except Exception as error:  # noqa: BLE001
            faults.append(f"datasets {i}: {error!r}")
    return faults


def main() -> int:
    """Judge the records of a file."""
    form, file = sys.argv[1:]
    records = [json.loads(line) for line in Path(file).read_bytes().splitlines()]
    if form in ("alpaca", "sharegpt"):
        faults = judge_llamafactory(form, records)
    else:
        faults = judge_trl(records)
    lines = [*faults, f"{form}: {len(records)} records, {len(faults)} faults"]
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    return 1 if faults or not records else 0


if __name__ == "__main__":
    sys.exit(main())
