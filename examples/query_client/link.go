package main

import (
	"encoding/binary"
	"net"
	"syscall"
)

// A connection to a query socket: docs/client_protocol.md, "Query frames on a Unix socket".
type link struct {
	socket      *net.UnixConn
	received    []byte
	descriptors []int             // that no NewSegment has announced yet
	segments    map[uint64][]byte // mapped for reading
	window      uint64            // queries that may be in flight
	answers     map[uint64]message
	unsent      chan []byte
}

const fGetSeals, fSealShrink, maxMessage = 1034, 2, 512 << 20 // the first two of fcntl(2)

func connect(path string) *link {
	made := &link{segments: map[uint64][]byte{}, answers: map[uint64]message{}}
	made.socket = must(net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"}))
	for made.window == 0 {
		made.receive()
	}
	// The daemon does not read while its answers are not read, so who reads must not wait for a write.
	made.unsent = make(chan []byte, 2*made.window+2) // queries in flight, releases, bindings
	go func() {
		for bytes := range made.unsent {
			must(made.socket.Write(bytes))
		}
	}()
	return made
}

// Sends frames, each of which is a field of a ClientFrame, in one message.
func (l *link) send(frames ...[]byte) {
	var all []byte
	for _, frame := range frames {
		all = append(all, content(1, frame)...)
	}
	l.unsent <- append(binary.LittleEndian.AppendUint32(nil, uint32(len(all))), all...)
}

// Reads once, and carries out the messages that are complete.
func (l *link) receive() {
	buffer, control := make([]byte, 64<<10), make([]byte, syscall.CmsgSpace(253*4))
	count, controls, flags, _, err := l.socket.ReadMsgUnix(buffer, control)
	check(err == nil && count > 0 && flags&syscall.MSG_CTRUNC == 0, "the query socket was closed: ", err)
	for _, entry := range must(syscall.ParseSocketControlMessage(control[:controls])) {
		l.descriptors = append(l.descriptors, must(syscall.ParseUnixRights(&entry))...)
	}
	l.received = append(l.received, buffer[:count]...)
	for len(l.received) >= 4 {
		length := int(binary.LittleEndian.Uint32(l.received))
		check(length <= maxMessage, "a message is too long")
		if len(l.received) < 4+length {
			return
		}
		for _, frame := range parse(l.received[4 : 4+length])[1] {
			l.take(parse(frame.bytes))
		}
		l.received = l.received[4+length:]
	}
}

func (l *link) take(frame message) {
	for kind := range frame {
		body := frame.message(kind)
		switch kind {
		case 1: // Answer
			l.answers[body.number(1)] = body
		case 2: // Window
			l.window = body.number(1)
		case 3: // Goodbye
			check(false, "the daemon says goodbye: ", body.message(1).text(4))
		case 4: // NewSegment
			l.mapSegment(body.number(1), body.number(2))
		case 5: // EndSegment
			syscall.Munmap(l.segments[body.number(1)])
			delete(l.segments, body.number(1))
		}
	}
}

// A segment that could become smaller would end this process at the next access, so it is refused.
func (l *link) mapSegment(id, size uint64) {
	check(len(l.descriptors) > 0, "a segment has no descriptor")
	descriptor := l.descriptors[0]
	l.descriptors = l.descriptors[1:]
	defer syscall.Close(descriptor)
	seals, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(descriptor), fGetSeals, 0)
	var about syscall.Stat_t
	check(errno == 0 && seals&fSealShrink != 0, "a segment is not sealed")
	check(syscall.Fstat(descriptor, &about) == nil && uint64(about.Size) == size, "a segment has a wrong size")
	l.segments[id] = must(syscall.Mmap(descriptor, 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED))
}

// The bytes of PackedValues, and the place in shared memory that they have until it is released.
func (l *link) packed(values message) (bytes, place []byte) {
	if !values.has(8) {
		return values.bytes(6), nil
	}
	where := values.message(8)
	segment, offset, size := l.segments[where.number(1)], where.number(2), where.number(3)
	check(offset <= uint64(len(segment)) && size <= uint64(len(segment))-offset, "an array is not in its segment")
	return segment[offset : offset+size], values.bytes(8)
}
