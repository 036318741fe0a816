#ifndef STAGEDOOR_RESOLVER_ASSET_PATH_H_
#define STAGEDOOR_RESOLVER_ASSET_PATH_H_

#include <string>
#include <string_view>
#include <utility>

namespace stagedoor {

// Text functions on asset paths: authored ones ("./tree.usd"), identifiers and resolved paths.
// Thread-safe, no I/O. Separators are '/'; a path may begin with "scheme://authority".

// "http" for "http://host/a.usd", "" for paths without "scheme:" before "//".
std::string_view UriScheme(std::string_view path);

// Begins with '/' or with a URI scheme.
bool IsAbsoluteAssetPath(std::string_view path);

// "." or "..", or begins with "./" or "../": always relative to the layer it is written in.
bool IsAnchoredAssetPath(std::string_view path);

// Neither of the two: looked for beside the layer first, then in the search paths.
bool IsSearchAssetPath(std::string_view path);

// Without "." and empty components and with ".." resolved where there is something to leave:
// "a/./b/../c" gives "a/c", "/../a" gives "/a", "../a" stays. "" stays; "./" gives ".".
std::string NormalizeAssetPath(std::string_view path);

// Normalized `path` as seen from the file `anchor`: "/a/b.usd" and "../c.usd" give "/c.usd". An
// absolute path, or any path if the anchor is not absolute, is only normalized.
std::string AnchorAssetPath(std::string_view path, std::string_view anchor);

// What is before the last '/' ("/" for files in the root, "" if there is none).
std::string_view AssetDirectory(std::string_view path);

// The extension in lower case without the dot; of a package path that of the innermost name.
std::string AssetExtension(std::string_view path);

// ---- Paths into packages: "a.usdz[dir/b.usd]", nested "a.usdz[b.usdz[c.usd]]". ----

bool IsPackagePath(std::string_view path);

// {"a.usdz", "b.usdz[c.usd]"}; {path, ""} if it is not a package path.
std::pair<std::string, std::string> SplitPackagePathOuter(std::string_view path);

// {"a.usdz[b.usdz]", "c.usd"}; {path, ""} if it is not a package path.
std::pair<std::string, std::string> SplitPackagePathInner(std::string_view path);

// "a.usdz[b]" for "a.usdz" and "b"; goes into the innermost package: "a.usdz[b.usdz[c]]" for
// "a.usdz[b.usdz]" and "c". Brackets in a plain name are escaped with '\'. If one is empty: the
// other.
std::string JoinPackagePath(std::string_view package, std::string_view inside);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_ASSET_PATH_H_
