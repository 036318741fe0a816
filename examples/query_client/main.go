// query_client prints values of a stage, read over the query socket of a daemon on this machine:
//
//	go run . unix:/run/stagedoor/grpc.sock /show/shot.usda 12 /World/Char.points /World/Char.size
//
// Written with docs/client_protocol.md, the protos, and the standard library of Go only.
package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"math"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
)

// Makes a unary call of gRPC, a request of HTTP/2: a byte that is 0, the length, the message.
func call(address, method string, request []byte) message {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	dial := func(context.Context, string, string) (net.Conn, error) {
		return net.Dial("unix", strings.TrimPrefix(address, "unix:"))
	}
	transport := &http.Transport{Protocols: protocols, DialContext: dial, DisableKeepAlives: true}
	body := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(request))), request...)
	asked := must(http.NewRequest("POST", "http://daemon/stagedoor.v1."+method, bytes.NewReader(body)))
	asked.Header = http.Header{"Content-Type": {"application/grpc"}, "Te": {"trailers"}}
	reply := must(transport.RoundTrip(asked))
	defer reply.Body.Close()
	read := must(io.ReadAll(reply.Body))
	status := func(key string) string { return reply.Trailer.Get(key) + reply.Header.Get(key) }
	check(status("Grpc-Status") == "0" && len(read) >= 5, method, " failed: ", status("Grpc-Message"))
	return parse(read[5:])
}

// Large answers that are not read and released would exceed what a connection may have.
const inFlight = 16

// Asks for each path by itself, several at a time, and prints in order.
func (l *link) ask(paths []string, time float64) {
	sent, frame := 0, binary.LittleEndian.AppendUint64(nil, math.Float64bits(time))
	for i, path := range paths {
		for ; sent < len(paths) && uint64(sent-i) < min(l.window, inFlight); sent++ {
			path, times := binary.AppendUvarint(nil, uint64(sent)), content(2, frame)
			l.send(content(3, // Query: its ID, the number of the path, the time, 60 seconds, arrays may be shared
				number(1, uint64(sent+1)), content(3, path), content(4, times), content(5, number(1, 60)), number(9, 1)))
		}
		id := uint64(i + 1)
		for l.answers[id] == nil {
			l.receive()
		}
		shown, place := l.show(l.answers[id])
		delete(l.answers, id)
		fmt.Println(path, shown)
		if place != nil {
			l.send(content(6, content(1, place))) // ReleaseArrays
		}
	}
}

// The value in an answer about one path and one time, and the place in shared memory to release.
func (l *link) show(answer message) (text string, place []byte) {
	values := answer.message(3)
	for _, failed := range []message{answer.message(2), values.message(6), values.message(7)} {
		if len(failed) > 0 {
			return "error: " + failed.text(4), nil
		}
	}
	column := values.message(4)
	switch {
	case column.has(3):
		return fmt.Sprint(math.Float64frombits(binary.LittleEndian.Uint64(column.bytes(3)))), nil
	case column.has(4):
		return fmt.Sprint(math.Float32frombits(binary.LittleEndian.Uint32(column.bytes(4)))), nil
	case column.has(5):
		zigzag, _ := binary.Uvarint(column.bytes(5))
		return fmt.Sprint(int64(zigzag>>1) ^ -int64(zigzag&1)), nil
	case column.has(7):
		return strconv.Quote(column.text(7)), nil
	case column.message(9).has(19):
		array := column.message(9).message(19)
		bytes, place := l.packed(array)
		crc := crc32.ChecksumIEEE(bytes)
		return fmt.Sprintf("%s of %d, CRC %08x, shared: %t", column.text(1), array.number(5), crc, place != nil), place
	case column.has(8) || column.has(9):
		return column.text(1), nil
	}
	return "no value", nil
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("query_client: ")
	check(len(os.Args) > 4, "usage: query_client unix:PATH ROOT_LAYER TIME ATTRIBUTE_PATH...")
	address, root, paths := os.Args[1], os.Args[2], os.Args[4:]
	time := must(strconv.ParseFloat(os.Args[3], 64))
	socket := call(address, "ServerService/GetCapabilities", nil).text(7)
	check(socket != "", "the daemon has no query socket: start it with --query-socket")
	handle := content(1, call(address, "StagesService/OpenStage", content(1, root)).text(3))
	var bound [][]byte
	for _, path := range paths {
		bound = append(bound, content(3, path))
	}
	// Numbers that are 0 need not be written: the stage, and the first path.
	l := connect(socket)
	l.send(content(1, content(2, handle)), content(2, bound...))
	l.ask(paths, time)
	call(address, "StagesService/CloseStage", handle)
}
