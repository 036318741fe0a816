#include "server/access/unix_peers.h"

#include <grpcpp/security/auth_metadata_processor.h>
#include <grpcpp/security/server_credentials.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "base/strings.h"
#include "server/access/identity_text.h"
#include "server/access/unauthenticated.h"

namespace stagedoor::server {
namespace {

constexpr char kProperty[] = "stagedoor_unix_peer";  // "UID GID GID …"
constexpr size_t kMaxKernelGroups = 65536;

// The supplementary groups of the peer; none if the kernel does not say.
std::vector<uint32_t> ReadGroups(int fd) {
  static_assert(sizeof(gid_t) == sizeof(uint32_t));
  std::vector<uint32_t> groups(64);
  for (;;) {
    auto bytes = static_cast<socklen_t>(groups.size() * sizeof(uint32_t));
    if (::getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes) == 0) {
      groups.resize(bytes / sizeof(uint32_t));
      return groups;
    }
    const size_t needed = bytes / sizeof(uint32_t);
    if (errno != ERANGE || needed <= groups.size() || needed > kMaxKernelGroups) return {};
    groups.resize(needed);
  }
}

std::string Encode(const SocketCredentials& credentials) {
  std::string text = Concat(credentials.uid);
  for (const uint32_t gid : credentials.gids) text += Concat(' ', gid);
  return text;
}

std::optional<SocketCredentials> Decode(std::string_view text) {
  SocketCredentials credentials;
  bool first = true;
  while (first || !text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const auto number = ParseNumber<uint32_t>(text.substr(0, end));
    if (!number) return std::nullopt;
    if (first) {
      credentials.uid = *number;
    } else {
      credentials.gids.push_back(*number);
    }
    first = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return credentials;
}

}  // namespace

absl::StatusOr<SocketCredentials> ReadSocketCredentials(int fd) {
  ucred peer{};
  socklen_t bytes = sizeof(peer);
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) != 0 || bytes != sizeof(peer) ||
      peer.uid == static_cast<uid_t>(-1)) {
    return UnauthenticatedError("the user at the other end of the Unix socket is not known");
  }
  SocketCredentials credentials{.uid = peer.uid, .gids = {peer.gid}};
  for (const uint32_t gid : ReadGroups(fd)) {
    if (credentials.gids.size() == kMaxIdentityAliases) break;
    if (gid != peer.gid) credentials.gids.push_back(gid);
  }
  return credentials;
}

// Marks the connections of an acceptor with the credentials of its user.
class UnixPeers::Marker final : public grpc::AuthMetadataProcessor {
 public:
  void SetCredentials(const SocketCredentials& credentials) {
    MutexLock lock(mu_);
    text_ = Encode(credentials);
  }

  bool IsBlocking() const override { return false; }

  grpc::Status Process(const InputMetadata&, grpc::AuthContext* context, OutputMetadata*,
                       OutputMetadata*) override {
    // The context belongs to the connection, whose first calls may come at the same time. Only one
    // of them may write to it, before any handler can read it.
    MutexLock lock(mu_);
    if (!text_.empty() && context->FindPropertyValues(kProperty).empty()) {
      context->AddProperty(kProperty, text_);
    }
    return grpc::Status::OK;
  }

 private:
  Mutex mu_;
  std::string text_ ABSL_GUARDED_BY(mu_);  // empty without credentials
};

struct UnixPeers::Acceptor {
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> connections;
  std::shared_ptr<Marker> marker;
  std::optional<SocketCredentials> user;  // whose it is
};

UnixPeers::UnixPeers(grpc::ServerBuilder& builder, size_t max_acceptors) {
  for (size_t i = 0; i < max_acceptors + 1; ++i) {
    Acceptor acceptor;
    acceptor.marker = std::make_shared<Marker>();
    const auto credentials = grpc::experimental::LocalServerCredentials(UDS);
    credentials->SetAuthMetadataProcessor(acceptor.marker);
    acceptor.connections = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials);
    acceptors_.push_back(std::move(acceptor));
  }
}

UnixPeers::~UnixPeers() = default;

absl::Status UnixPeers::Serve(int fd, const std::optional<SocketCredentials>& credentials) {
  grpc::experimental::ExternalConnectionAcceptor* connections = nullptr;
  absl::Status status;
  {
    MutexLock lock(mu_);
    Acceptor* acceptor = credentials ? Find(*credentials) : nullptr;
    if (acceptor == nullptr) {
      acceptor = &acceptors_.front();
      status = credentials ? ResourceExhaustedError(
                                 "too many different users or groups of users connected "
                                 "to the Unix socket; uid ",
                                 credentials->uid, " is anonymous")
                           : ResourceExhaustedError(
                                 "a user at the other end of the Unix socket is not "
                                 "known, and therefore anonymous");
    }
    connections = acceptor->connections.get();
  }
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.fd = fd;
  connections->HandleNewConnection(&parameters);
  return status;
}

UnixPeers::Acceptor* UnixPeers::Find(const SocketCredentials& credentials) {
  size_t of_user = 0;
  for (size_t i = 1; i < acceptors_.size(); ++i) {
    Acceptor& acceptor = acceptors_[i];
    if (!acceptor.user) {  // so are all that follow
      if (of_user == kMaxAcceptorsPerUser) return nullptr;
      acceptor.marker->SetCredentials(credentials);
      acceptor.user = credentials;
      return &acceptor;
    }
    if (acceptor.user->uid != credentials.uid) continue;
    if (acceptor.user->gids == credentials.gids) return &acceptor;
    ++of_user;
  }
  return nullptr;
}

std::optional<SocketCredentials> UnixPeers::Of(const grpc::AuthContext& context) {
  const std::vector<grpc::string_ref> values = context.FindPropertyValues(kProperty);
  if (values.size() != 1) return std::nullopt;
  return Decode({values.front().data(), values.front().size()});
}

}  // namespace stagedoor::server
