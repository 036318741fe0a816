package main

import (
	"encoding/binary"
	"log"
)

// Messages of protobuf are written and read by the numbers of their fields, as in proto/stagedoor/v1,
// so that the program needs no generated code. A larger one would generate it with protoc-gen-go.

func number(field int, value uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3), value)
}

// A text, a message with fields, or packed numbers.
func content[Part string | []byte](field int, parts ...Part) []byte {
	var all []byte
	for _, part := range parts {
		all = append(all, part...)
	}
	return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3|2), uint64(len(all))), all...)
}

// A message by the numbers of its fields. Each has a number, or the bytes of a text, a message or
// packed numbers.
type message map[uint64][]value
type value struct {
	number uint64
	bytes  []byte
}

func parse(data []byte) message {
	found, varint := message{}, func() uint64 {
		read, size := binary.Uvarint(data)
		check(size > 0, "what the daemon has sent is not a message")
		data = data[size:]
		return read
	}
	for len(data) > 0 {
		tag, read := varint(), value{}
		size := map[uint64]uint64{1: 8, 5: 4}[tag&7]
		if tag&7 == 0 {
			read.number = varint()
		} else if tag&7 == 2 {
			size = varint()
		}
		check(size <= uint64(len(data)), "a message ends in the middle")
		read.bytes, data = data[:size], data[size:]
		found[tag>>3] = append(found[tag>>3], read)
	}
	return found
}

// The last of a field, or nothing.
func (m message) last(field uint64) value { return append([]value{{}}, m[field]...)[len(m[field])] }

func (m message) bytes(field uint64) []byte    { return m.last(field).bytes }
func (m message) number(field uint64) uint64   { return m.last(field).number }
func (m message) text(field uint64) string     { return string(m.bytes(field)) }
func (m message) message(field uint64) message { return parse(m.bytes(field)) }
func (m message) has(field uint64) bool        { return m[field] != nil }

func check(holds bool, otherwise string, details ...any) {
	if !holds {
		log.Fatal(append([]any{otherwise}, details...)...)
	}
}

func must[T any](made T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return made
}
