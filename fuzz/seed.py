#!/usr/bin/env python3
"""Fills fuzz/corpus/<target>/ from the zipped tables in fixtures/.

Of files that are alike (same kind of name, same record type) only the smallest few are taken, so that the
fuzzer begins with short inputs of every kind.
"""

import hashlib
import io
import json
import pathlib
import re
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORPUS = ROOT / "fuzz" / "corpus"
PER_KIND = 4
LOG_NAME = re.compile(r"^\..*_.*\.(log|archive)\.\d+")


def tables():
    for folder in ("golden", "golden-metadata"):
        for path in sorted((ROOT / "fixtures" / folder).glob("*.zip")):
            table = zipfile.ZipFile(path)
            if table.namelist() == ["table.zip"]:
                table = zipfile.ZipFile(io.BytesIO(table.read("table.zip")))
            yield table


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), at


def container_parts(data):
    """Schema text and payload of a container with one metadata key and one block."""
    at = data.index(b"avro.schema") + len(b"avro.schema")
    length, at = varint(data, at)
    schema, at = data[at : at + length], at + length + 1 + 16
    _, at = varint(data, at)
    length, at = varint(data, at)
    return schema, data[at : at + length]


class Seeds:
    def __init__(self):
        self.found = {}

    def add(self, target, kind, data):
        self.found.setdefault((target, kind), set()).add(bytes(data))

    def write(self):
        total = 0
        for (target, _), inputs in self.found.items():
            folder = CORPUS / target
            folder.mkdir(parents=True, exist_ok=True)
            for data in sorted(inputs, key=lambda data: (len(data), data))[:PER_KIND]:
                (folder / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)
                total += 1
        return total


def add_file(seeds, path, data):
    name = path.rsplit("/", 1)[-1]
    if name.endswith(".crc"):
        return
    shape = re.sub(r"\d+", "0", name.split(".", 1)[-1])
    if name == "hoodie.properties":
        seeds.add("properties", "", data)
    elif LOG_NAME.match(name):
        kinds = bytes(data[21:22]).hex()
        seeds.add("log_blocks", kinds, data)
        seeds.add("file_names", "log" + str(".cdc" in name), name.encode())
    elif ".hoodie/" not in path and re.search(r"\.(parquet|hfile|lance)$", name):
        seeds.add("file_names", shape, name.encode())
    elif re.match(r"^\d+(_\d+)?\.[a-z.]+$", name):
        seeds.add("instant_names", shape, name.encode())
        kind = shape
        if data.startswith(b"Obj\x01"):
            schema, payload = container_parts(data)
            kind = json.loads(schema)["name"]
            seeds.add("avro_container", kind, data)
            seeds.add("avro_datum", kind, schema + b"\0" + payload)
        seeds.add("timeline_content", kind, name.encode() + b"\0" + data)


def main():
    seeds = Seeds()
    for table in tables():
        for entry in table.infolist():
            if not entry.is_dir():
                add_file(seeds, entry.filename, table.read(entry))
    blooms = ROOT / "fixtures" / "golden-metadata" / "vectors" / "blooms.json"
    for vector in json.loads(blooms.read_text()):
        if "serialized" in vector:
            text = vector["type"][0].lower() + vector["serialized"]
            seeds.add("bloom", vector["type"], text.encode())
    print(f"{seeds.write()} seeds in {CORPUS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
