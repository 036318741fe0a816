#include "server/grpc_server.h"

#include <grpc/compression.h>
#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/impl/server_builder_option.h>
#include <grpcpp/impl/server_builder_plugin.h>
#include <spdlog/spdlog.h>

#include <mutex>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "grpc/health/v1/health.pb.h"
#include "server/listen/connection_limits.h"
#include "server/listen/server_credentials.h"
#include "server/services/services.h"

namespace stagedoor::server {
namespace {

// A client that does not read has its call cut off first, by one of the sweeps that come every
// second, which is counted and logged. If the bytes are stuck even then, the connection is closed.
constexpr std::chrono::seconds kUntilCutOff{2};

// Replaces the port, as in "127.0.0.1:0", by the one that was chosen.
std::string ChosenAddress(const std::string& address, const ListenAddress& parsed, int port) {
  if (parsed.is_unix()) return address;
  return Concat(address.substr(0, address.rfind(':') + 1), port);
}

// gRPC checks the size of a request only after decompression, when a megabyte may already have
// become a gigabyte.
void RefuseCompressedRequests(grpc::ServerBuilder* builder) {
  builder->AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
  for (const auto algorithm : {GRPC_COMPRESS_DEFLATE, GRPC_COMPRESS_GZIP}) {
    builder->SetCompressionAlgorithmSupportStatus(algorithm, false);
  }
}

// Removes the reflection plugin, which every builder in the process has once it is registered.
class WithoutReflection final : public grpc::ServerBuilderOption {
 public:
  void UpdateArguments(grpc::ChannelArguments*) override {}
  void UpdatePlugins(std::vector<std::unique_ptr<grpc::ServerBuilderPlugin>>* plugins) override {
    std::erase_if(*plugins,
                  [](const auto& plugin) { return plugin->name() == "proto_server_reflection"; });
  }
};

// Where gRPC takes the connections that are accepted for it.
using Acceptor = grpc::experimental::ExternalConnectionAcceptor;

std::unique_ptr<Acceptor> AddAcceptor(std::shared_ptr<grpc::ServerCredentials> credentials,
                                      grpc::ServerBuilder& builder) {
  using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  return builder.experimental().AddExternalConnectionAcceptor(Type::FROM_FD,
                                                              std::move(credentials));
}

void ServeConnection(int fd, Acceptor& acceptor) {
  Acceptor::NewConnectionParameters connection;
  connection.fd = fd;
  acceptor.HandleNewConnection(&connection);
}

}  // namespace

GrpcServer::GrpcServer(const ServerOptions& options, ConnectionCounter& connections,
                       std::vector<std::unique_ptr<grpc::Service>> services)
    : options_(options), connections_(connections), services_(std::move(services)) {}

absl::StatusOr<std::unique_ptr<GrpcServer>> GrpcServer::Start(
    const ServerOptions& options, ConnectionCounter& connections,
    std::vector<std::unique_ptr<grpc::Service>> services) {
  std::unique_ptr<GrpcServer> server(new GrpcServer(options, connections, std::move(services)));
  SD_RETURN_IF_ERROR(server->Listen());
  return server;
}

GrpcServer::~GrpcServer() {
  StopListening();
  Shutdown(std::chrono::milliseconds(0));
}

absl::Status GrpcServer::Listen() {
  // gRPC serves health checks without linking their descriptor, which reflection needs.
  grpc::health::v1::HealthCheckRequest::descriptor();
  static std::once_flag plugins;
  std::call_once(plugins, [] {
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  });
  grpc::ServerBuilder builder;
  if (!OffersReflection(options_)) builder.SetOption(std::make_unique<WithoutReflection>());
  SD_ASSIGN_OR_RETURN(const auto credentials, MakeServerCredentials(options_.tls));
  std::vector<ListenAddress> wanted;
  // The peers of Unix sockets need to be identified only if there are roles.
  const bool know_unix_peers = !options_.access.roles.empty();
  if (know_unix_peers) unix_peers_ = std::make_unique<UnixPeers>(builder);
  for (const std::string& address : options_.addresses) {
    SD_ASSIGN_OR_RETURN(wanted.emplace_back(), Claim(address));
  }
  tcp_connections_ = AddAcceptor(credentials, builder);
  unix_connections_ = AddAcceptor(grpc::InsecureServerCredentials(), builder);
  builder.SetMaxReceiveMessageSize(static_cast<int>(options_.max_request_bytes));
  builder.SetMaxSendMessageSize(-1);
  ApplyConnectionLimits(options_.connections, builder);
  RefuseCompressedRequests(&builder);
  for (const auto& service : services_) builder.RegisterService(service.get());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) return UnavailableError("cannot start the gRPC server");
  SetHealth(false);  // otherwise that of the whole server would be SERVING
  for (size_t i = 0; i < wanted.size(); ++i) {
    SD_RETURN_IF_ERROR(ListenOn(options_.addresses[i], wanted[i]));
  }
  return absl::OkStatus();
}

absl::Status GrpcServer::ListenOn(const std::string& address, const ListenAddress& parsed) {
  const bool tls = !parsed.is_unix() && options_.tls.enabled();
  auto listener = SocketListener::Listen(
      parsed, [this, &acceptor = parsed.is_unix() ? *unix_connections_ : *tcp_connections_,
               unix = parsed.is_unix(), tls](int fd) {
        if (!connections_.Admit(fd)) return RefuseConnection(fd, tls);
        SocketListener::CloseIfStalled(fd, options_.calls.stall + kUntilCutOff);
        if (unix && unix_peers_ != nullptr) return ServePeer(fd);
        ServeConnection(fd, acceptor);
      });
  if (!listener.ok()) {
    return UnavailableError("cannot listen on ", Quoted(address), ": ", Message(listener.status()));
  }
  listeners_.push_back(*std::move(listener));
  addresses_.push_back(ChosenAddress(address, parsed, listeners_.back()->port()));
  return absl::OkStatus();
}

void GrpcServer::ServePeer(int fd) {
  const auto credentials = ReadSocketCredentials(fd);
  const absl::Status status =
      unix_peers_->Serve(fd, credentials.ok() ? std::optional(*credentials) : std::nullopt);
  if (!status.ok()) spdlog::warn("a client of a Unix socket is unknown: {}", Message(status));
}

absl::StatusOr<ListenAddress> GrpcServer::Claim(const std::string& address) {
  absl::StatusOr<ListenAddress> parsed = ListenAddress::Parse(address);
  if (!parsed.ok()) {
    return Annotate(parsed.status(), Concat("cannot listen on ", Quoted(address)));
  }
  if (parsed->is_unix()) {
    SD_ASSIGN_OR_RETURN(claims_.emplace_back(), UnixSocketLock::Acquire(parsed->socket_path));
  }
  return parsed;
}

void GrpcServer::SetHealth(bool serving) {
  auto* service = server_->GetHealthCheckService();
  for (const char* name : kServiceNames) service->SetServingStatus(name, serving);
  service->SetServingStatus(serving);
}

std::shared_ptr<grpc::Channel> GrpcServer::InProcessChannel() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return server_->InProcessChannel(arguments);
}

void GrpcServer::Shutdown(std::chrono::milliseconds grace_period) {
  if (server_ == nullptr || shut_down_.exchange(true)) return;
  server_->Shutdown(std::chrono::system_clock::now() + grace_period);
  server_->Wait();
}

// gRPC's C++ API cannot change the deadline of a shutdown in progress.
void GrpcServer::CancelCalls() { grpc_server_cancel_all_calls(server_->c_server()); }

}  // namespace stagedoor::server
