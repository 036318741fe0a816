"""A crate file split into its tables, to be modified and serialized again.

    crate = CrateFile.parse(bytes)
    crate.specs[3].type = 8
    changed = crate.serialize()

Values keep their offsets; new ones are appended (add_value). Written files use the framing of both compressions
without compressing anything. Not meant for large files.
"""
import dataclasses
import struct

MAGIC = b"PXR-USDC"
END = 0xFFFFFFFF  # of a field set
TOKEN_VECTOR = 41


def decode_lz4(data):
    """Decodes the chunked LZ4 data of crates."""
    chunks, at, out = data[0], 1, bytearray()
    if chunks == 0:
        return bytes(_decode_block(data[1:]))
    for _ in range(chunks):
        (size,) = struct.unpack_from("<i", data, at)
        out += _decode_block(data[at + 4:at + 4 + size])
        at += 4 + size
    return bytes(out)


def _decode_block(data):
    out, at = bytearray(), 0

    def length(first):
        nonlocal at
        if first < 15:
            return first
        while True:
            first += data[at]
            at += 1
            if data[at - 1] != 255:
                return first

    while at < len(data):
        token = data[at]
        at += 1
        literals = length(token >> 4)
        out += data[at:at + literals]
        at += literals
        if at >= len(data):
            return out
        distance = data[at] | data[at + 1] << 8
        at += 2
        for _ in range(length(token & 15) + 4):
            out.append(out[-distance])
    return out


def encode_lz4(data):
    """`data` as one LZ4 block of literals."""
    out = bytearray([0, min(len(data), 15) << 4])
    if len(data) >= 15:
        left = len(data) - 15
        while left >= 255:
            out.append(255)
            left -= 255
        out.append(left)
    return bytes(out) + data


def decode_ints(data, count):
    if count == 0:
        return []
    packed = decode_lz4(data)
    (common,) = struct.unpack_from("<i", packed)
    codes, at, value, out = packed[4:], 4 + (2 * count + 7) // 8, 0, []
    for i in range(count):
        code = codes[i // 4] >> (i % 4 * 2) & 3
        width = (0, 1, 2, 4)[code]
        value += int.from_bytes(packed[at:at + width], "little", signed=True) if width else common
        at += width
        out.append((value + 2**31) % 2**32 - 2**31)
    return out


def encode_ints(numbers):
    """Encodes all differences with four bytes."""
    packed, before = struct.pack("<i", 0) + b"\xff" * ((2 * len(numbers) + 7) // 8), 0
    for number in numbers:
        packed += struct.pack("<I", (number - before) % 2**32)
        before = number
    return encode_lz4(packed)


@dataclasses.dataclass
class PathItem:
    """An item of the path tree, in depth-first order."""
    path: int     # index
    element: int  # token; negative for properties
    jump: int     # -2: leaf, -1: child only, 0: sibling only, else both, with the offset of the sibling


@dataclasses.dataclass
class Spec:
    path: int
    field_set: int
    type: int


@dataclasses.dataclass
class CrateFile:
    version: bytes
    values: bytearray     # all bytes before the sections, header included
    tokens: list          # as bytes
    strings: list         # tokens
    fields: list          # [token, representation]
    field_sets: list      # field indices, with END after each set
    path_count: int
    paths: list           # PathItem
    specs: list           # Spec

    @staticmethod
    def parse(data):
        assert data[:8] == MAGIC
        (contents,) = struct.unpack_from("<Q", data, 16)
        (count,) = struct.unpack_from("<Q", data, contents)
        sections = {}
        for i in range(count):
            name, start, size = struct.unpack_from("<16sQQ", data, contents + 8 + 32 * i)
            sections[name.rstrip(b"\0").decode()] = data[start:start + size]
        text = _Reader(sections["TOKENS"])
        n, _ = text.number(), text.number()
        tokens = decode_lz4(text.block()).split(b"\0")[:n]
        numbers = _Reader(sections["STRINGS"])
        strings = [numbers.word() for _ in range(numbers.number())]
        fields = _Reader(sections["FIELDS"])
        n = fields.number()
        names = decode_ints(fields.block(), n)
        values = struct.unpack(f"<{n}Q", decode_lz4(fields.block()))
        sets = _Reader(sections["FIELDSETS"])
        n = sets.number()
        field_sets = [number % 2**32 for number in decode_ints(sets.block(), n)]
        paths = _Reader(sections["PATHS"])
        path_count, n = paths.number(), paths.number()
        items = [PathItem(*item) for item in zip(*(decode_ints(paths.block(), n) for _ in range(3)))]
        specs = _Reader(sections["SPECS"])
        n = specs.number()
        found = [Spec(*spec) for spec in zip(*(decode_ints(specs.block(), n) for _ in range(3)))]
        start = min(struct.unpack_from("<Q", data, contents + 8 + 32 * i + 16)[0] for i in range(count))
        return CrateFile(data[8:16], bytearray(data[:start]), tokens, strings,
                         [list(field) for field in zip(names, values)], field_sets, path_count, items, found)

    def serialize(self):
        sections = [(b"TOKENS", self._tokens()), (b"STRINGS", self._strings()), (b"FIELDS", self._fields()),
                    (b"FIELDSETS", _counted(len(self.field_sets), encode_ints(self.field_sets))),
                    (b"PATHS", self._paths()), (b"SPECS", self._specs())]
        out = bytearray(self.values)
        contents = struct.pack("<Q", len(sections))
        for name, section in sections:
            contents += struct.pack("<16sQQ", name, len(out), len(section))
            out += section
        out[:24] = MAGIC + self.version + struct.pack("<Q", len(out))
        return bytes(out + contents)

    def _tokens(self):
        text = b"".join(token + b"\0" for token in self.tokens)
        return struct.pack("<QQ", len(self.tokens), len(text)) + _block(encode_lz4(text))

    def _strings(self):
        return struct.pack(f"<Q{len(self.strings)}I", len(self.strings), *self.strings)

    def _fields(self):
        values = struct.pack(f"<{len(self.fields)}Q", *(value for _, value in self.fields))
        names = encode_ints([name for name, _ in self.fields])
        return _counted(len(self.fields), names) + _block(encode_lz4(values))

    def _paths(self):
        out = struct.pack("<QQ", self.path_count, len(self.paths))
        for numbers in zip(*((item.path, item.element, item.jump) for item in self.paths)):
            out += _block(encode_ints(numbers))
        return out

    def _specs(self):
        out = struct.pack("<Q", len(self.specs))
        columns = zip(*((spec.path, spec.field_set, spec.type) for spec in self.specs)) if self.specs else ((),) * 3
        for numbers in columns:
            out += _block(encode_ints(numbers))
        return out

    # ---- Modification

    def token(self, text):
        """The index of a token, which is added if necessary."""
        text = text.encode() if isinstance(text, str) else text
        if text not in self.tokens:
            self.tokens.append(text)
        return self.tokens.index(text)

    def add_value(self, data):
        """Appends `data`, aligned. Returns its offset."""
        self.values += b"\0" * (-len(self.values) % 8)
        self.values += data
        return len(self.values) - len(data)

    def token_vector(self, names):
        """The representation of a list of tokens."""
        indices = [self.token(name) for name in names]
        return TOKEN_VECTOR << 48 | self.add_value(struct.pack(f"<Q{len(indices)}I", len(indices), *indices))

    def fields_of(self, spec):
        end = self.field_sets.index(END, spec.field_set)
        return self.field_sets[spec.field_set:end]

    def set_fields(self, spec, fields):
        """Gives the spec its own field set."""
        spec.field_set = len(self.field_sets)
        self.field_sets += list(fields) + [END]

    def add_field(self, name, value):
        self.fields.append([self.token(name), value])
        return len(self.fields) - 1

    def list_of(self, value):
        """The names in a token vector."""
        at = value & (1 << 48) - 1
        (count,) = struct.unpack_from("<Q", self.values, at)
        return [self.tokens[i] for i in struct.unpack_from(f"<{count}I", self.values, at + 8)]


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        self.at += 8
        return struct.unpack_from("<Q", self.data, self.at - 8)[0]

    def word(self):
        self.at += 4
        return struct.unpack_from("<I", self.data, self.at - 4)[0]

    def block(self):
        size = self.number()
        self.at += size
        return self.data[self.at - size:self.at]


def _block(data):
    return struct.pack("<Q", len(data)) + data


def _counted(count, data):
    return struct.pack("<Q", count) + _block(data)
