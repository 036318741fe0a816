#ifndef STAGEDOOR_CLIENT_OPENUSD_CONNECTION_ARGUMENTS_H_
#define STAGEDOOR_CLIENT_OPENUSD_CONNECTION_ARGUMENTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "argument_keys.h"

namespace stagedoor::openusd {

// The daemon, and how it is connected to: docs/openusd.md lists the keys.
struct ConnectionArguments {
  std::vector<std::string> addresses;
  std::string ca_file, certificate_file, key_file, server_name, token_file;
  bool tls = false;
  uint32_t timeout_ms = 30'000;  // of a call
};

// The keys of these arguments, which are a base of T.
template <typename T>
ArgumentKeys<T> ConnectionKeys() {
  const auto set_tls = [](const std::string& value, T* arguments) {
    arguments->tls = value == "true" || value == "1";
    return arguments->tls || value == "false" || value == "0";
  };
  return {
      {"address", ListKey<T>("addresses HOST:PORT or unix:PATH", &T::addresses)},
      {"ca_file", TextKey<T>(&T::ca_file)},
      {"certificate_file", TextKey<T>(&T::certificate_file)},
      {"key_file", TextKey<T>(&T::key_file)},
      {"server_name", TextKey<T>(&T::server_name)},
      {"timeout", NumberKey<T, uint32_t>("a number of seconds from 0.001 to 86400", 0.001, 86'400,
                                         1000, &T::timeout_ms)},
      {"tls", {"'true' or 'false'", set_tls}},
      {"token_file", TextKey<T>(&T::token_file)},
  };
}

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_CONNECTION_ARGUMENTS_H_
