#ifndef STAGEDOOR_RESOLVER_ASSET_PATH_H_
#define STAGEDOOR_RESOLVER_ASSET_PATH_H_

#include <string>
#include <string_view>
#include <utility>

namespace stagedoor {

// Text functions on asset paths: authored paths ("./tree.usd"), identifiers and resolved paths
// (Core Specification 9.2 to 9.7). Thread-safe, no I/O. Separators are '/'. A path may begin with
// "scheme://authority".

// "http" for "http://host/a.usd"; "" for paths that do not begin with "scheme://".
std::string_view UriScheme(std::string_view path);

// Whether the path begins with '/' or with a URI scheme.
bool IsAbsoluteAssetPath(std::string_view path);

// Whether the path is "." or "..", or begins with "./" or "../". Such a path is always relative to
// the layer in which it is written (Core Specification 9.4.1, Anchored Relative Identifiers).
bool IsFileRelativeAssetPath(std::string_view path);

// Whether the path is neither absolute nor anchored. Such a path is looked for beside the layer
// first, then in the search paths (Core Specification 9.4.2, Non-Anchored Relative Identifiers).
bool IsSearchAssetPath(std::string_view path);

// Removes "." and empty components, and resolves ".." where a component precedes it: "a/./b/../c"
// gives "a/c", "/../a" gives "/a", "../a" stays. "" stays; "./" gives ".".
std::string NormalizeAssetPath(std::string_view path);

// Anchors `path` to the directory of the file `anchor` and normalizes it: "../c.usd" in "/a/b.usd"
// gives "/c.usd". If `path` is absolute or `anchor` is not, only normalizes it.
std::string AnchorAssetPath(std::string_view path, std::string_view anchor);

// The part before the last '/': "/" for files in the root directory, "" if there is no '/'.
std::string_view AssetDirectory(std::string_view path);

// The extension in lower case without the dot (Core Specification 9.6). For a package path, that of
// the innermost file.
std::string AssetExtension(std::string_view path);

// ---- Files that a layer of another machine names, which it may not (DispatchingResolver). ----

// The identifier of such a file is its path with this scheme, which no resolver opens.
inline constexpr std::string_view kForeignFileScheme = "file-of-remote-layer";
// The path of such a file; any other identifier as it is. For results that a client reads.
std::string_view WithoutForeignFileScheme(std::string_view identifier);

// ---- Paths into packages: "a.usdz[dir/b.usd]", nested "a.usdz[b.usdz[c.usd]]" (Core Specification
// 9.7, Packaged Resources; ArIsPackageRelativePath and its companions in OpenUSD). ----

bool IsPackageRelativePath(std::string_view path);

// Splits off the outermost package: {"a.usdz", "b.usdz[c.usd]"}. {path, ""} if it is not a package
// path.
std::pair<std::string, std::string> SplitPackageRelativePathOuter(std::string_view path);

// Splits off the innermost file: {"a.usdz[b.usdz]", "c.usd"}. {path, ""} if it is not a package
// path.
std::pair<std::string, std::string> SplitPackageRelativePathInner(std::string_view path);

// "a.usdz[b]" for "a.usdz" and "b". Adds to the innermost package: "a.usdz[b.usdz[c]]" for
// "a.usdz[b.usdz]" and "c". Brackets in a plain name are escaped with '\'. If one of the two is
// empty, returns the other.
std::string JoinPackageRelativePath(std::string_view package, std::string_view inside);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_ASSET_PATH_H_
