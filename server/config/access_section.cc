#include "server/config/access_section.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/closest_match.h"
#include "base/status.h"
#include "resolver/access/access_scope.h"
#include "server/config/config_section.h"

namespace stagedoor::server {
namespace {

constexpr FlagRange kClockSkew{0, 3600};
constexpr FlagRange kCalls{1, 1000000};
constexpr FlagRange kLeases{1, 100000000};
constexpr size_t kMaxRoleName = 64;
constexpr std::array<std::string_view, 5> kIdentityKinds = {"uid", "gid", "user", "group",
                                                            "certificate"};

// A key whose value is a text that is stored in `*out`.
SectionKey TextKey(const std::string& name, bool required, std::string* out) {
  return {.name = name, .required = required, .read = [=](const ConfigNode& value, auto& errors) {
            if (auto text = ReadText(value, Quoted(name), errors)) *out = *std::move(text);
          }};
}

SectionKey CountKey(const std::string& name, FlagRange range, size_t* out) {
  return {.name = name, .read = [=](const ConfigNode& value, ConfigErrors& errors) {
            const auto count = ReadNumber(value, Quoted(name), FlagUnit::kCount, range, errors);
            if (count.has_value()) *out = *count;
          }};
}

void ReadKeyFile(const ConfigNode& node, std::string* out, ConfigErrors& errors) {
  const std::optional<std::string> file = ReadText(node, "'jwks-file'", errors);
  if (!file.has_value()) return;
  std::error_code ignored;
  *out = *file;
  if (std::filesystem::is_regular_file(*file, ignored)) return;
  errors.AddAt(node.position, "'jwks-file' cannot be ", Quoted(*file),
               ": it must be an existing file");
}

TokenIssuer ReadToken(const ConfigNode& node, ConfigErrors& errors) {
  TokenIssuer token;
  const std::vector<SectionKey> keys = {
      TextKey("issuer", true, &token.issuer),
      TextKey("audience", true, &token.audience),
      {.name = "jwks-file",
       .required = true,
       .read = [&](const ConfigNode& value,
                   ConfigErrors& found) { ReadKeyFile(value, &token.jwks_file, found); }},
      {.name = "clock-skew",
       .read =
           [&](const ConfigNode& value, ConfigErrors& found) {
             const auto seconds =
                 ReadNumber(value, "'clock-skew'", FlagUnit::kSeconds, kClockSkew, found);
             if (seconds.has_value()) token.clock_skew = std::chrono::seconds(*seconds);
           }},
      TextKey("name-claim", false, &token.name_claim),
      TextKey("groups-claim", false, &token.groups_claim)};
  ReadSection(node, "each of 'tokens'", keys, errors);
  return token;
}

void ReadTokens(const ConfigNode& node, std::vector<TokenIssuer>* tokens, ConfigErrors& errors) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const ConfigNode& item : ReadList(node, "'tokens'", errors)) {
    TokenIssuer token = ReadToken(item, errors);
    if (!token.issuer.empty() && !seen.emplace(token.issuer, token.audience).second) {
      errors.AddAt(item.position, "issuer ", Quoted(token.issuer), " with audience ",
                   Quoted(token.audience), " is given twice");
    }
    tokens->push_back(std::move(token));
  }
}

// The problem with the pattern of an identity; empty if it is valid. A pattern that cannot match
// anything would silently give a role to no caller.
std::string IdentityProblem(std::string_view identity) {
  if (identity == "anonymous" || identity == "local" || identity == "*") return "";
  if (std::count(identity.begin(), identity.end(), '*') > 1) return "it may have only one '*'";
  const size_t colon = identity.find(':');
  const std::string_view kind = identity.substr(0, colon);
  const bool known =
      std::find(kIdentityKinds.begin(), kIdentityKinds.end(), kind) != kIdentityKinds.end();
  if (colon != identity.npos && known) {
    const std::string_view name = identity.substr(colon + 1);
    if (name.empty()) return Concat("a name must follow '", kind, ":'");
    const bool number = name.find_first_not_of("0123456789*") == name.npos;
    if ((kind == "uid" || kind == "gid") && !number) return "it must be a number or '*'";
    return "";
  }
  std::vector<std::string> words = {"anonymous", "local"};
  for (const std::string_view each : kIdentityKinds) words.emplace_back(each);
  const std::string closest = ClosestMatch(kind, words);
  return Concat("it must be anonymous, local, '*', or a name after one of ",
                Join(kIdentityKinds, ":, "), ":",
                closest.empty() ? "" : Concat("; did you mean ", Quoted(closest), "?"));
}

void ReadIdentities(const ConfigNode& node, std::vector<std::string>* identities,
                    ConfigErrors& errors) {
  for (const ConfigNode& item : ReadTexts(node, "'identities'", errors)) {
    const std::string problem = IdentityProblem(item.text);
    if (!problem.empty()) {
      errors.AddAt(item.position, "identity ", Quoted(item.text), " is not valid: ", problem);
    }
    identities->push_back(item.text);
  }
  if (node.kind == ConfigNode::Kind::kList && node.items.empty()) {
    errors.AddAt(node.position, "'identities' must name an identity");
  }
}

void ReadAssets(const ConfigNode& node, std::shared_ptr<const AccessScope>* assets,
                ConfigErrors& errors) {
  const std::vector<ConfigNode> prefixes = ReadTexts(node, "'assets'", errors);
  if (prefixes.size() == 1 && prefixes.front().text == "*") return;
  std::vector<std::string> texts;
  for (const ConfigNode& prefix : prefixes) {
    const auto scope = AccessScope::Create({&prefix.text, 1});
    if (prefix.text == "*") {
      errors.AddAt(prefix.position, "'*' includes all assets, so it must be the only one");
    } else if (!scope.ok()) {
      errors.AddAt(prefix.position, "'assets' cannot have ", Quoted(prefix.text), ": ",
                   Message(scope.status()));
    }
    texts.push_back(prefix.text);
  }
  auto scope = AccessScope::Create(texts);
  if (scope.ok()) *assets = *std::move(scope);
}

void ReadMethods(const ConfigNode& node, Grants* grants, ConfigErrors& errors) {
  for (const ConfigNode& item : ReadTexts(node, "'methods'", errors)) {
    const auto group = ReadName(item, "each of 'methods'", kRpcGroupNames, errors);
    if (group.has_value()) grants->groups.set(*group);
  }
}

void ReadRoleName(const ConfigNode& node, std::string* out, ConfigErrors& errors) {
  const std::optional<std::string> name = ReadText(node, "'name'", errors);
  if (!name.has_value()) return;
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (name->size() > kMaxRoleName || !std::all_of(name->begin(), name->end(), allowed)) {
    errors.AddAt(node.position, "'name' cannot be ", Quoted(*name), ": it must be up to ",
                 kMaxRoleName, " letters, digits, '-', '_' and '.'");
  }
  *out = *name;
}

RoleOptions ReadRole(const ConfigNode& node, ConfigErrors& errors) {
  RoleOptions role;
  Grants& grants = role.grants;
  const std::vector<SectionKey> keys = {
      {.name = "name",
       .required = true,
       .read = [&](const ConfigNode& value,
                   ConfigErrors& found) { ReadRoleName(value, &grants.role, found); }},
      {.name = "identities",
       .required = true,
       .read = [&](const ConfigNode& value,
                   ConfigErrors& found) { ReadIdentities(value, &role.identities, found); }},
      {.name = "assets",
       .required = true,
       .read = [&](const ConfigNode& value,
                   ConfigErrors& found) { ReadAssets(value, &grants.assets, found); }},
      {.name = "methods",
       .required = true,
       .read = [&](const ConfigNode& value,
                   ConfigErrors& found) { ReadMethods(value, &grants, found); }},
      {.name = "priority",
       .read =
           [&](const ConfigNode& value, ConfigErrors& found) {
             const auto index = ReadName(value, "'priority'", kPriorityClassNames, found);
             if (index.has_value()) grants.priority = static_cast<PriorityClass>(*index);
           }},
      CountKey("max-calls", kCalls, &grants.max_calls),
      CountKey("max-leases", kLeases, &grants.max_leases)};
  ReadSection(node, "each of 'roles'", keys, errors);
  return role;
}

void ReadRoles(const ConfigNode& node, std::vector<RoleOptions>* roles, ConfigErrors& errors) {
  std::set<std::string> names;
  for (const ConfigNode& item : ReadList(node, "'roles'", errors)) {
    RoleOptions role = ReadRole(item, errors);
    const std::string& name = role.grants.role;
    if (!name.empty() && !names.insert(name).second) {
      errors.AddAt(item.position, "role ", Quoted(name), " is given twice");
    }
    roles->push_back(std::move(role));
  }
}

}  // namespace

AccessOptions ReadAccessSection(const ConfigNode& node, ConfigErrors& errors) {
  AccessOptions access;
  const std::vector<SectionKey> keys = {
      {.name = "tokens",
       .read = [&](const ConfigNode& value,
                   ConfigErrors& found) { ReadTokens(value, &access.tokens, found); }},
      {.name = "roles", .read = [&](const ConfigNode& value, ConfigErrors& found) {
         ReadRoles(value, &access.roles, found);
       }}};
  ReadSection(node, "'access'", keys, errors);
  return access;
}

}  // namespace stagedoor::server
