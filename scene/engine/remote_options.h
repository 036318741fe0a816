#ifndef STAGEDOOR_SCENE_ENGINE_REMOTE_OPTIONS_H_
#define STAGEDOOR_SCENE_ENGINE_REMOTE_OPTIONS_H_

#include <chrono>
#include <string>
#include <vector>

#include "resolver/store/block_cache.h"

namespace stagedoor {

// How assets on other machines are read. Nothing is, unless a URL is allowed or a service named.
struct RemoteOptions {
  // URL prefixes that may be read (UrlAllowList).
  std::vector<std::string> allowed_urls;
  // Networks that are not public and may be connected to (NetworkPolicy).
  std::vector<std::string> allowed_networks;
  // Whether layers on other machines may name files of this one.
  bool allow_files = false;

  BlockCacheOptions cache;
  std::chrono::milliseconds revalidate{1000};  // see StoreResolverOptions
  std::chrono::seconds stale_if_error{0};
  bool verify_content = false;  // LocalEngine sets it to that of FileVersions::Options

  std::vector<std::string> http_logins;  // at web servers (HttpLogins)
  std::string http_proxy;                // URL; none if empty
  std::string ca_file;                   // certificates to trust; those of the system if empty

  // Where the objects of s3:// are, and with which credentials they are read (S3StoreOptions). What
  // is empty comes from the environment, if it has it.
  std::string s3_endpoint;
  std::string s3_region;
  std::string s3_credentials_file;
  std::string s3_profile;
  std::string s3_credentials_url;

  // Resolver services, as "SCHEME=ADDRESS" (ParseResolverFlag). One without a scheme is asked about
  // all paths that no other backend serves, instead of the file system.
  std::vector<std::string> resolvers;
  // Whether services with a scheme may answer with files of this machine (ResolverServiceOptions).
  bool resolvers_may_name_files = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_ENGINE_REMOTE_OPTIONS_H_
