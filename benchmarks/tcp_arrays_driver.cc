// tcp_arrays_driver: arrays of the daemon over TCP, beside a gRPC service that only sends bytes.
//
//   tcp_arrays_driver [SECONDS]
//
// Starts and stops the daemon itself ($STAGEDOORD). Prints GiB/s, and milliseconds of processor
// time per GiB of the server and of the client, of: a stream of bytes between bare gRPC programs
// (bare), the same of the daemon's StreamValues without parsing it (daemon.bytes), and StreamValues
// of the C++ client (daemon.client).
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/testing/temp_dir.h"
#include "benchmarks/calls.h"
#include "benchmarks/child_process.h"
#include "benchmarks/daemon.h"
#include "benchmarks/machine.h"
#include "benchmarks/require.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::bench {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kBytesPerCall = 64 * kMiB;

// Sends kBytesPerCall in messages of 1 MiB, as the daemon does.
class BytesCall final : public grpc::ServerGenericBidiReactor {
 public:
  BytesCall() : message_(&Bytes(), 1) { Next(); }

 private:
  static const grpc::Slice& Bytes() {
    static const grpc::Slice slice(std::string(kMiB, 'x'));
    return slice;
  }
  void Next() {
    if (sent_ == kBytesPerCall) return Finish(grpc::Status::OK);
    sent_ += kMiB;
    StartWrite(&message_);
  }
  void OnWriteDone(bool ok) override { ok ? Next() : Finish(grpc::Status::CANCELLED); }
  void OnDone() override { delete this; }

  grpc::ByteBuffer message_;
  size_t sent_ = 0;
};

class BytesService final : public grpc::CallbackGenericService {
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext*) override {
    return new BytesCall();
  }
};

int Serve() {
  BytesService service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterCallbackGenericService(&service);
  const auto server = builder.BuildAndStart();
  std::printf("127.0.0.1:%d\n", port);
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

// Reads a whole stream without parsing it. Returns its bytes.
size_t ReadBytes(grpc::GenericStub& stub, const std::string& method,
                 const grpc::ByteBuffer& request) {
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  const auto wait = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto call = stub.PrepareCall(&context, method, &queue);
  call->StartCall(nullptr);
  Require(wait(), "a call did not start");
  call->WriteLast(request, grpc::WriteOptions(), nullptr);
  Require(wait(), "a request was not sent");
  size_t bytes = 0;
  grpc::ByteBuffer message;
  for (call->Read(&message, nullptr); wait(); call->Read(&message, nullptr)) {
    bytes += message.Length();
  }
  grpc::Status status;
  call->Finish(&status, nullptr);
  wait();
  Require(status.ok(), "a stream failed: " + status.error_message());
  return bytes;
}

// A scene with arrays of kBytesPerCall in all.
std::string WriteScene(const std::string& folder, size_t array_bytes) {
  const std::string name = folder + "/scene" + std::to_string(array_bytes) + ".usda";
  std::ofstream file(name);
  file << "#usda 1.0\ndef \"P\"\n{\n";
  for (size_t array = 0; array < kBytesPerCall / array_bytes; ++array) {
    file << "    int[] a" << array << " = [";
    for (size_t i = 0; i < array_bytes / sizeof(int); ++i) file << (i == 0 ? "" : ",") << i % 1000;
    file << "]\n";
  }
  file << "}\n";
  return name;
}

v1::StreamValuesRequest RequestOf(const std::string& handle, size_t array_bytes) {
  v1::StreamValuesRequest request;
  request.mutable_stage()->set_handle(handle);
  for (size_t array = 0; array < kBytesPerCall / array_bytes; ++array) {
    request.add_paths("/P.a" + std::to_string(array));
  }
  request.mutable_times()->add_frames(0);
  return request;
}

// Repeats `run`, which takes kBytesPerCall.
void Measure(const std::string& name, pid_t server, double seconds,
             const std::function<void()>& run) {
  for (int i = 0; i < 2; ++i) run();
  const double start = Now(), cpu = ProcessCpuSeconds(server), own = OwnCpuSeconds();
  size_t count = 0;
  for (; Now() < start + seconds; ++count) run();
  const double gib = static_cast<double>(count * kBytesPerCall) / (1 << 30);
  std::printf("%-28s %6.2f GiB/s  server %6.0f ms/GiB  client %6.0f ms/GiB\n", name.c_str(),
              gib / (Now() - start), (ProcessCpuSeconds(server) - cpu) / gib * 1e3,
              (OwnCpuSeconds() - own) / gib * 1e3);
  std::fflush(stdout);
}

std::shared_ptr<grpc::Channel> Channel(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

void MeasureDaemon(const Daemon& daemon, const std::string& folder, size_t array_bytes,
                   double seconds) {
  const auto client = Connect(daemon.address());
  const std::string handle = OpenStage(*client, WriteScene(folder, array_bytes));
  const v1::StreamValuesRequest request = RequestOf(handle, array_bytes);
  const std::string size = std::to_string(array_bytes / 1024) + "KiB";
  grpc::GenericStub stub(Channel(daemon.address()));
  const grpc::Slice text(request.SerializeAsString());
  Measure("daemon.bytes." + size, daemon.pid(), seconds, [&] {
    const size_t bytes =
        ReadBytes(stub, "/stagedoor.v1.QueryService/StreamValues", grpc::ByteBuffer(&text, 1));
    Require(bytes >= kBytesPerCall, "arrays are missing");
  });
  Measure("daemon.client." + size, daemon.pid(), seconds, [&] {
    size_t bytes = 0;
    const auto sink = [&](const v1::StreamValuesResponse& part) {
      bytes += part.value().array_value().data().size();
      return absl::OkStatus();
    };
    Require(client->StreamValues(request, sink).ok() && bytes == kBytesPerCall,
            "arrays are missing");
  });
}

int Main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "--serve") return Serve();
  const double seconds = argc > 1 ? std::atof(argv[1]) : 3;
  ChildProcess server({"/proc/self/exe", "--serve"});
  grpc::GenericStub stub(Channel(server.ReadLine().value_or("")));
  Measure("bare", server.pid(), seconds, [&] {
    Require(ReadBytes(stub, "/bytes", grpc::ByteBuffer()) == kBytesPerCall, "bytes are missing");
  });
  const TempDir folder("/tmp");
  const Daemon daemon;
  for (const size_t kib : {256, 1024, 8192}) {
    MeasureDaemon(daemon, folder / "", kib << 10, seconds);
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor::bench

int main(int argc, char** argv) { return stagedoor::bench::Main(argc, argv); }
