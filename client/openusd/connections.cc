#include "connections.h"

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <vector>

namespace stagedoor::openusd {
namespace {

// The values that layers keep are bounded by themselves (SampleCache). These are for arrays that
// come again at another time, such as the points of a prim that stands still.
constexpr uint64_t kArrayCacheBytes = uint64_t{64} << 20;

const char* OrNull(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

// Names the connection of arguments.
std::string KeyOf(const ConnectionArguments& arguments) {
  std::string key = std::to_string(getpid());
  const auto add = [&](const std::string& part) { key += '\n' + part; };
  const char* const given = std::getenv("STAGEDOOR_ADDRESS");
  if (arguments.addresses.empty()) add(given == nullptr ? "" : given);
  for (const std::string& address : arguments.addresses) add(address);
  add(arguments.tls ? "tls" : "");
  for (const std::string* part :
       {&arguments.ca_file, &arguments.certificate_file, &arguments.key_file,
        &arguments.server_name, &arguments.token_file}) {
    add(*part);
  }
  return key;
}

}  // namespace

Failure TakeFailure(sd_code code, sd_error* error) {
  Failure failure{code, sd_error_message(error)};
  const std::string hint = sd_error_hint(error);
  if (!hint.empty() && failure.message.find(hint) == std::string::npos) {
    failure.message += "; " + hint;
  }
  sd_error_destroy(error);
  return failure;
}

DaemonConnection::DaemonConnection(sd_connection* connection)
    : connection_(connection), process_(getpid()) {}

DaemonConnection::~DaemonConnection() {
  if (IsOwnProcess()) sd_connection_destroy(connection_);
}

bool DaemonConnection::IsOwnProcess() const { return getpid() == process_; }

Result<bool> DaemonConnection::CheckProcess() const {
  if (IsOwnProcess()) return true;
  return Failure{SD_FAILED_PRECONDITION,
                 "the layer was opened before fork() by process " + std::to_string(process_) +
                     "; open it in the child process, or start that with 'spawn'"};
}

Result<std::shared_ptr<const DaemonConnection>> DaemonConnection::Connect(
    const ConnectionArguments& arguments) {
  std::vector<const char*> addresses;
  for (const std::string& address : arguments.addresses) addresses.push_back(address.c_str());
  sd_connect_options options{};
  options.struct_size = sizeof(options);
  options.addresses = addresses.data();
  options.address_count = addresses.size();
  options.tls = arguments.tls;
  options.ca_file = OrNull(arguments.ca_file);
  options.certificate_file = OrNull(arguments.certificate_file);
  options.key_file = OrNull(arguments.key_file);
  options.server_name = OrNull(arguments.server_name);
  options.token_file = OrNull(arguments.token_file);
  options.client_name = "openusd";
  options.array_cache_bytes = kArrayCacheBytes;
  sd_connection* connection = nullptr;
  sd_error* error = nullptr;
  const sd_code code = sd_connect(&options, &connection, &error);
  if (code != SD_OK) return TakeFailure(code, error);
  return std::shared_ptr<const DaemonConnection>(new DaemonConnection(connection));
}

Connections& Connections::OfProcess() {
  static Connections* const kConnections = new Connections;
  return *kConnections;
}

Result<std::shared_ptr<const DaemonConnection>> Connections::Get(
    const ConnectionArguments& arguments) {
  const std::string key = KeyOf(arguments);
  const std::lock_guard<std::mutex> lock(mu_);
  std::weak_ptr<const DaemonConnection>& known = connections_[key];
  if (std::shared_ptr<const DaemonConnection> connection = known.lock()) return connection;
  Result<std::shared_ptr<const DaemonConnection>> made = DaemonConnection::Connect(arguments);
  if (made.ok()) known = *made;
  return made;
}

}  // namespace stagedoor::openusd
