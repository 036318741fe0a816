#include "scene/schema/plug_info.h"

#include <fstream>
#include <iterator>
#include <set>
#include <system_error>

#include "base/status.h"
#include "base/status_macros.h"
#include "nlohmann/json.hpp"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kFileName = "plugInfo.json";
// Limits for the size of a file, and for the search that expands '*' and '**'.
constexpr uintmax_t kMaxFileBytes = 16 << 20;
constexpr int kMaxDepth = 16;
constexpr size_t kMaxWalkedEntries = 200000;

// Replaces comment lines, which JSON does not have, by blanks.
std::string WithoutComments(std::string_view text) {
  std::string result(text);
  for (size_t begin = 0; begin < result.size();) {
    const size_t end = std::min(result.find('\n', begin), result.size());
    const size_t first = result.find_first_not_of(" \t\r", begin);
    if (first < end && result[first] == '#') std::fill_n(result.begin() + begin, end - begin, ' ');
    begin = end + 1;
  }
  return result;
}

const Json* Member(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

std::string StringMember(const Json& object, const char* key) {
  const Json* member = Member(object, key);
  return member && member->is_string() ? member->get<std::string>() : std::string();
}

std::vector<Token> TokensMember(const Json& object, const char* key) {
  std::vector<Token> tokens;
  const Json* member = Member(object, key);
  if (!member || !member->is_array()) return tokens;
  for (const Json& item : *member) {
    if (item.is_string()) tokens.push_back(Token(item.get_ref<const std::string&>()));
  }
  return tokens;
}

std::optional<SchemaKind> ParseKind(std::string_view word) {
  static constexpr std::pair<std::string_view, SchemaKind> kWords[] = {
      {"abstractBase", SchemaKind::kAbstractBase},
      {"abstractTyped", SchemaKind::kAbstractTyped},
      {"concreteTyped", SchemaKind::kConcreteTyped},
      {"nonAppliedAPI", SchemaKind::kNonAppliedApi},
      {"singleApplyAPI", SchemaKind::kSingleApplyApi},
      {"multipleApplyAPI", SchemaKind::kMultipleApplyApi},
  };
  for (const auto& [text, kind] : kWords) {
    if (text == word) return kind;
  }
  return std::nullopt;
}

SchemaTypeDeclaration ParseType(const std::string& type_name, const Json& object) {
  SchemaTypeDeclaration type;
  type.type_name = Token(type_name);
  type.bases = TokensMember(object, "bases");
  type.kind = ParseKind(StringMember(object, "schemaKind"));
  type.identifier = Token(StringMember(object, "schemaIdentifier"));
  const Json* alias = Member(object, "alias");
  if (type.identifier.empty() && alias && alias->is_object()) {
    type.identifier = Token(StringMember(*alias, "UsdSchemaBase"));
  }
  type.auto_apply_to = TokensMember(object, "apiSchemaAutoApplyTo");
  return type;
}

DefaultPart ParseDefaultPart(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  // As in OpenUSD, integers are truncated to 32 bits.
  if (json.is_number_integer()) return static_cast<int32_t>(json.get<int64_t>());
  if (json.is_number_float()) return json.get<double>();
  return {};
}

// A text, a number, or a list of values of one of these types.
std::vector<DefaultPart> ParseDefault(const Json& json) {
  if (!json.is_array()) return {ParseDefaultPart(json)};
  std::vector<DefaultPart> parts;
  for (const Json& item : json) {
    parts.push_back(ParseDefaultPart(item));
    if (parts.back().index() != parts.front().index()) return {DefaultPart()};
  }
  return parts;
}

// "appliesTo" is a word or a list of words.
FieldDeclaration ParseField(const std::string& name, const Json& object) {
  FieldDeclaration field{.name = name, .type = StringMember(object, "type"), .applies_to = {}};
  if (const std::string word = StringMember(object, "appliesTo"); !word.empty()) {
    field.applies_to.push_back(word);
  }
  for (const Token word : TokensMember(object, "appliesTo")) field.applies_to.push_back(word.str());
  const Json* value = Member(object, "default");
  if (value && !value->is_null()) field.default_parts = ParseDefault(*value);
  return field;
}

absl::StatusOr<PlugInfo> ParsePlugin(const Json& object, const fs::path& folder) {
  if (!object.is_object()) return InvalidArgumentError("an entry of \"Plugins\" is not an object");
  PlugInfo plugin;
  plugin.name = StringMember(object, "Name");
  const fs::path root = folder / StringMember(object, "Root");
  plugin.resources = (root / StringMember(object, "ResourcePath")).lexically_normal();
  const Json* info = Member(object, "Info");
  if (!info || !info->is_object()) return plugin;
  if (const Json* fields = Member(*info, "SdfMetadata"); fields && fields->is_object()) {
    for (const auto& [name, value] : fields->items()) {
      if (value.is_object()) plugin.metadata.push_back(ParseField(name, value));
    }
  }
  const Json* types = Member(*info, "Types");
  if (!types) return plugin;
  if (!types->is_object()) return InvalidArgumentError("\"Types\" is not an object");
  for (const auto& [name, value] : types->items()) {
    if (value.is_object()) plugin.types.push_back(ParseType(name, value));
  }
  return plugin;
}

// '*' stands for any text without '/', '**' for any text.
bool MatchesPattern(std::string_view pattern, std::string_view text) {
  size_t star = std::string_view::npos;  // position after the last wildcard
  size_t resume = 0;                     // end of the text that this wildcard stands for
  bool any = false;                      // whether this wildcard is '**'
  size_t p = 0;
  for (size_t t = 0; t < text.size();) {
    if (p < pattern.size() && pattern[p] == '*') {
      any = pattern.substr(p, 2) == "**";
      star = p += any ? 2 : 1;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos && (any || text[resume] != '/')) {
      p = star;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// The plugInfo.json files that match a pattern, which may name the files or their folders.
std::vector<fs::path> ExpandPattern(const std::string& pattern) {
  const size_t slash = pattern.rfind('/', pattern.find('*'));
  const fs::path base =
      slash == std::string::npos ? fs::path(".") : fs::path(pattern.substr(0, slash + 1));
  const std::string name(kFileName);
  std::set<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator it(base, fs::directory_options::skip_permission_denied, error);
  size_t entries = 0;
  for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
    if (++entries > kMaxWalkedEntries) break;
    if (it.depth() >= kMaxDepth) it.disable_recursion_pending();
    if (it->path().filename() != name) continue;
    const std::string file = it->path().string();
    if (MatchesPattern(pattern, file) || MatchesPattern(pattern + name, file) ||
        MatchesPattern(pattern + "/" + name, file)) {
      found.insert(it->path());
    }
  }
  return {found.begin(), found.end()};
}

absl::StatusOr<std::string> ReadFile(const fs::path& path) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error) return NotFoundError(path.string(), ": ", error.message());
  if (size > kMaxFileBytes)
    return InvalidArgumentError(path.string(), ": exceeds the limit of 16 MiB");
  std::ifstream stream(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(stream), {});
}

absl::Status ReadInto(fs::path path, std::set<fs::path>* seen, std::vector<PlugInfo>* plugins) {
  std::error_code error;
  if (fs::is_directory(path, error)) path /= kFileName;
  if (!seen->insert(fs::weakly_canonical(path, error)).second) return absl::OkStatus();
  SD_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  absl::StatusOr<PlugInfoFile> file = ParsePlugInfo(text, path.parent_path());
  if (!file.ok()) return Annotate(file.status(), path.string());
  for (PlugInfo& plugin : file->plugins) plugins->push_back(std::move(plugin));
  for (const std::string& include : file->includes) {
    const std::string full = (path.parent_path() / include).string();
    if (full.find('*') == std::string::npos) {
      // As in OpenUSD, an included file need not exist.
      if (fs::exists(full, error)) SD_RETURN_IF_ERROR(ReadInto(full, seen, plugins));
      continue;
    }
    for (const fs::path& found : ExpandPattern(full)) {
      SD_RETURN_IF_ERROR(ReadInto(found, seen, plugins));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PlugInfoFile> ParsePlugInfo(std::string_view text, const fs::path& folder) {
  const Json json = Json::parse(WithoutComments(text), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return InvalidArgumentError("not valid JSON");
  if (!json.is_object()) return InvalidArgumentError("not a JSON object");
  PlugInfoFile file;
  if (const Json* plugins = Member(json, "Plugins")) {
    if (!plugins->is_array()) return InvalidArgumentError("\"Plugins\" is not an array");
    for (const Json& item : *plugins) {
      SD_ASSIGN_OR_RETURN(PlugInfo plugin, ParsePlugin(item, folder));
      file.plugins.push_back(std::move(plugin));
    }
  }
  if (const Json* includes = Member(json, "Includes"); includes && includes->is_array()) {
    for (const Json& item : *includes) {
      if (item.is_string()) file.includes.push_back(item.get<std::string>());
    }
  }
  return file;
}

absl::StatusOr<std::vector<PlugInfo>> ReadPlugInfos(const fs::path& path) {
  std::vector<PlugInfo> plugins;
  std::set<fs::path> seen;
  SD_RETURN_IF_ERROR(ReadInto(path, &seen, &plugins));
  return plugins;
}

}  // namespace stagedoor
