#include "resolver/asset_path.h"

#include <algorithm>
#include <vector>

namespace stagedoor {
namespace {

bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The length of "scheme://authority"; 0 for paths without a scheme.
size_t PrefixLength(std::string_view path) {
  const std::string_view scheme = UriScheme(path);
  if (scheme.empty()) return 0;
  return std::min(path.find('/', scheme.size() + 3), path.size());
}

bool Escaped(std::string_view s, size_t i) { return i > 0 && s[i - 1] == '\\'; }

// The index of the '[' that matches the ']' at the end, or npos.
size_t OuterBracket(std::string_view path) {
  if (!path.ends_with(']') || Escaped(path, path.size() - 1)) return std::string_view::npos;
  size_t depth = 0;
  for (size_t i = path.size(); i-- > 0;) {
    if (Escaped(path, i)) continue;
    if (path[i] == ']') ++depth;
    if (path[i] == '[' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

std::string Unescape(std::string_view name) {
  std::string out;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool escape =
        name[i] == '\\' && i + 1 < name.size() && (name[i + 1] == '[' || name[i + 1] == ']');
    if (!escape) out += name[i];
  }
  return out;
}

std::string Escape(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c == '[' || c == ']') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string_view UriScheme(std::string_view path) {
  const size_t colon = path.find(':');
  if (colon == 0 || colon == std::string_view::npos) return {};
  if (!path.substr(colon).starts_with("://") || !IsAlpha(path[0])) return {};
  const std::string_view scheme = path.substr(0, colon);
  const bool valid = std::all_of(scheme.begin(), scheme.end(), [](char c) {
    return IsAlpha(c) || IsDigit(c) || c == '+' || c == '-' || c == '.';
  });
  return valid ? scheme : std::string_view();
}

bool IsAbsoluteAssetPath(std::string_view path) {
  return path.starts_with('/') || !UriScheme(path).empty();
}

bool IsFileRelativeAssetPath(std::string_view path) {
  return path == "." || path == ".." || path.starts_with("./") || path.starts_with("../");
}

bool IsSearchAssetPath(std::string_view path) {
  return !path.empty() && !IsAbsoluteAssetPath(path) && !IsFileRelativeAssetPath(path);
}

std::string NormalizeAssetPath(std::string_view path) {
  if (path.empty()) return {};
  const size_t prefix = PrefixLength(path);
  const std::string_view rest = path.substr(prefix);
  const bool rooted = rest.starts_with('/');
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin < rest.size();) {
    const size_t end = std::min(rest.find('/', begin), rest.size());
    const std::string_view part = rest.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    const bool up = part == "..";
    if (up && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!up || !rooted) {
      parts.push_back(part);
    }
  }
  std::string out(path.substr(0, prefix));
  if (rooted) out += '/';
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) out += '/';
    out += parts[i];
  }
  return out.empty() ? "." : out;
}

std::string AnchorAssetPath(std::string_view path, std::string_view anchor) {
  if (path.empty()) return {};
  if (IsAbsoluteAssetPath(path) || !IsAbsoluteAssetPath(anchor)) return NormalizeAssetPath(path);
  std::string joined(AssetDirectory(anchor));
  joined += '/';
  joined += path;
  return NormalizeAssetPath(joined);
}

std::string_view AssetDirectory(std::string_view path) {
  const size_t prefix = PrefixLength(path);
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  if (slash < prefix) return path;  // "http://host"
  return path.substr(0, slash == 0 ? 1 : slash);
}

std::string AssetExtension(std::string_view path) {
  std::string name =
      IsPackageRelativePath(path) ? SplitPackageRelativePathInner(path).second : std::string(path);
  name.erase(0, name.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos) return {};
  std::string extension = name.substr(dot + 1);
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

std::string_view WithoutForeignFileScheme(std::string_view identifier) {
  if (UriScheme(identifier) != kForeignFileScheme) return identifier;
  return identifier.substr(kForeignFileScheme.size() + 3);
}

bool IsPackageRelativePath(std::string_view path) {
  return OuterBracket(path) != std::string_view::npos;
}

std::pair<std::string, std::string> SplitPackageRelativePathOuter(std::string_view path) {
  const size_t bracket = OuterBracket(path);
  if (bracket == std::string_view::npos) return {std::string(path), {}};
  const std::string_view inside = path.substr(bracket + 1, path.size() - bracket - 2);
  return {std::string(path.substr(0, bracket)),
          IsPackageRelativePath(inside) ? std::string(inside) : Unescape(inside)};
}

std::pair<std::string, std::string> SplitPackageRelativePathInner(std::string_view path) {
  if (!IsPackageRelativePath(path)) return {std::string(path), {}};
  size_t open = path.size() - 1;
  while (path[open] != '[' || Escaped(path, open)) --open;
  size_t close = open + 1;
  while (path[close] != ']' || Escaped(path, close)) ++close;
  std::string package(path.substr(0, open));
  package += path.substr(close + 1);
  return {std::move(package), Unescape(path.substr(open + 1, close - open - 1))};
}

std::string JoinPackageRelativePath(std::string_view package, std::string_view inside) {
  if (inside.empty()) return std::string(package);
  if (package.empty()) return std::string(inside);
  size_t closing = 0;  // the number of ']' at the end of the path, which close its packages
  if (IsPackageRelativePath(package)) {
    while (package[package.size() - 1 - closing] == ']' &&
           !Escaped(package, package.size() - 1 - closing)) {
      ++closing;
    }
  }
  std::string out(package.substr(0, package.size() - closing));
  out += '[';
  out += IsPackageRelativePath(inside) ? std::string(inside) : Escape(inside);
  out += ']';
  out.append(closing, ']');
  return out;
}

}  // namespace stagedoor
