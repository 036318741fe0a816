#ifndef STAGEDOOR_SERVER_STORE_SESSION_STORE_OPTIONS_H_
#define STAGEDOOR_SERVER_STORE_SESSION_STORE_OPTIONS_H_

#include <string>

namespace stagedoor::server {

// The flags that name the session store.
struct SessionStoreOptions {
  std::string url;            // see ParseRedisUrl; empty if sessions are not shared
  std::string password_file;  // whose first line is the password; none if empty
  std::string ca_file;        // as in RedisOptions
  std::string certificate_file;
  std::string key_file;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_SESSION_STORE_OPTIONS_H_
