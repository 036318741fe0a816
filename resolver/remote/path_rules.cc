#include <string>
#include <vector>

#include "base/status.h"
#include "resolver/asset_path.h"
#include "resolver/remote/service_paths.h"
#include "resolver/remote/service_rules.h"

namespace stagedoor {
namespace {

using Paths = CheckedService::Paths;

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

RuleVerdict IdentifiersAreStable(const RuleInput& input) {
  for (const CheckedAsset& asset : input.assets) {
    for (const std::string& anchor : {std::string(), asset.resolved_path}) {
      const auto again = input.service.CreateIdentifierOf(asset.identifier, anchor);
      SD_FAIL_IF(!again.ok(), Quoted(asset.identifier), ": ", Outcome(again.status()));
      SD_FAIL_IF(*again != asset.identifier, "the identifier ", Quoted(asset.identifier),
                 " becomes ", Quoted(*again), " with anchor ", Quoted(anchor));
    }
  }
  return {};
}

// "./NAME" beside an asset NAME is that asset.
RuleVerdict RelativePathsAreAnchored(const RuleInput& input) {
  for (const CheckedAsset& asset : input.assets) {
    const std::string name(BaseName(asset.resolved_path));
    const std::string_view directory = AssetDirectory(asset.resolved_path);
    Paths paths = {"./" + name, "./stagedoor_check/../" + name, "././" + name};
    if (AssetDirectory(directory) != directory) {
      paths.push_back(Concat("../", BaseName(directory), "/", name));
    }
    const auto identifiers = input.service.CreateIdentifier(paths, asset.resolved_path);
    SD_FAIL_IF(!identifiers.ok(), Outcome(identifiers.status()));
    for (size_t i = 0; i < paths.size(); ++i) {
      const auto& identifier = (*identifiers)[i];
      SD_FAIL_IF(!identifier.ok(), Quoted(paths[i]), ": ", Outcome(identifier.status()));
      SD_FAIL_IF(*identifier != identifiers->front().value(), Quoted(paths[i]), " and ",
                 Quoted(paths.front()), " beside ", Quoted(asset.resolved_path), " become ",
                 Quoted(*identifier), " and ", Quoted(identifiers->front().value()));
    }
    const auto resolved = input.service.ResolveOf(identifiers->front().value());
    SD_FAIL_IF(!resolved.ok(), Quoted(paths.front()), " beside ", Quoted(asset.resolved_path), ": ",
               Outcome(resolved.status()));
    SD_FAIL_IF(*resolved != asset.resolved_path, Quoted(paths.front()), " beside ",
               Quoted(asset.resolved_path), " resolves to ", Quoted(*resolved));
  }
  return {};
}

RuleVerdict MissingAssetsHaveIdentifiers(const RuleInput& input) {
  const CheckedAsset& asset = input.assets.front();
  const Paths paths = {"./stagedoor_check_no_such_asset.usd", "../stagedoor_check/none.usd"};
  for (const std::string& path : paths) {
    const auto first = input.service.CreateIdentifierOf(path, asset.resolved_path);
    const auto second = input.service.CreateIdentifierOf(path, asset.resolved_path);
    SD_FAIL_IF(!first.ok(), Quoted(path), ": ", Outcome(first.status()));
    SD_FAIL_IF(!second.ok() || *first != *second, Quoted(path), " has two identifiers");
  }
  return {};
}

RuleVerdict IdentifiersHaveTheScheme(const RuleInput& input) {
  const Paths paths = {"./stagedoor_check.usd", "../stagedoor_check.usd",
                       "stagedoor_check/none.usd", input.assets.front().identifier};
  const auto identifiers =
      input.service.CreateIdentifier(paths, input.assets.front().resolved_path);
  SD_FAIL_IF(!identifiers.ok(), Outcome(identifiers.status()));
  for (size_t i = 0; i < paths.size(); ++i) {
    const auto& identifier = (*identifiers)[i];
    if (!identifier.ok()) continue;
    SD_FAIL_IF(!CheckServicePath(*identifier).ok() ||
                   !IsPossibleIdentifier(input.service.scheme(), paths[i], *identifier),
               Quoted(paths[i]), " becomes ", Quoted(*identifier), ", which has another scheme");
  }
  return {};
}

RuleVerdict ResolvedPathsResolveToThemselves(const RuleInput& input) {
  for (const CheckedAsset& asset : input.assets) {
    SD_FAIL_IF(!SameScheme(asset.identifier, asset.resolved_path), Quoted(asset.identifier),
               " resolves to ", Quoted(asset.resolved_path), ", which has another scheme");
    const auto again = input.service.ResolveOf(asset.resolved_path);
    SD_FAIL_IF(!again.ok(), Quoted(asset.resolved_path), ": ", Outcome(again.status()));
    SD_FAIL_IF(*again != asset.resolved_path, Quoted(asset.resolved_path), " resolves to ",
               Quoted(*again));
  }
  return {};
}

RuleVerdict MissingAssetsAreNotFound(const RuleInput& input) {
  const std::string missing = MissingBeside(input.assets.front());
  const struct {
    const char* call;
    absl::Status status;
  } kAnswers[] = {{"Resolve", input.service.ResolveOf(missing).status()},
                  {"GetVersions", input.service.GetVersionOf(missing).status()},
                  {"Read", input.service.Read(missing, {{0, 1}}).status}};
  for (const auto& [call, status] : kAnswers) {
    SD_FAIL_IF(status.code() != absl::StatusCode::kNotFound, call, " of ", Quoted(missing),
               " answers ", Outcome(status), " instead of NOT_FOUND");
    SD_FAIL_IF(Message(status).find(BaseName(missing)) == std::string_view::npos, "the message of ",
               call, " does not contain the path: ", Outcome(status));
  }
  return {};
}

// Returns how many results differ from those expected for `paths`, every other of which is missing.
template <typename T>
RuleVerdict AlternatesWithNotFound(const char* call, const CheckedService::Items<T>& items) {
  SD_FAIL_IF(!items.ok(), call, ": ", Outcome(items.status()));
  for (size_t i = 0; i < items->size(); ++i) {
    const absl::Status& status = (*items)[i].status();
    const bool right = i % 2 == 0 ? status.ok() : status.code() == absl::StatusCode::kNotFound;
    SD_FAIL_IF(!right, call, ": item ", i, " is ", Outcome(status), " instead of ",
               i % 2 == 0 ? "OK" : "NOT_FOUND");
  }
  return {};
}

RuleVerdict BulkAnswersAreInOrder(const RuleInput& input) {
  Paths paths;
  for (const CheckedAsset& asset : input.assets) {
    paths.push_back(asset.resolved_path);
    paths.push_back(MissingBeside(asset));
  }
  const auto resolved = input.service.Resolve(paths);
  RuleVerdict verdict = AlternatesWithNotFound("Resolve", resolved);
  if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
  const auto versions = input.service.GetVersions(paths);
  verdict = AlternatesWithNotFound("GetVersions", versions);
  if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
  for (size_t i = 0; i < paths.size(); i += 2) {
    SD_FAIL_IF((*resolved)[i].value() != paths[i], "Resolve: item ", i, " is ",
               Quoted((*resolved)[i].value()), " instead of ", Quoted(paths[i]));
    SD_FAIL_IF((*versions)[i]->size != input.assets[i / 2].info.size, "GetVersions: item ", i,
               " has ", (*versions)[i]->size, " bytes instead of ", input.assets[i / 2].info.size);
  }
  Paths names;
  for (int i = 0; i < 20; ++i) names.push_back(Concat("./stagedoor_check_", i, ".usd"));
  const auto identifiers = input.service.CreateIdentifier(names, paths.front());
  SD_FAIL_IF(!identifiers.ok(), "CreateIdentifier: ", Outcome(identifiers.status()));
  for (size_t i = 0; i < names.size(); ++i) {
    const auto alone = input.service.CreateIdentifierOf(names[i], paths.front());
    SD_FAIL_IF((*identifiers)[i] != alone, "CreateIdentifier: item ", i,
               " differs from what a call for ", Quoted(names[i]), " alone returns");
  }
  return {};
}

RuleVerdict LargeRequestsAreAnswered(const RuleInput& input) {
  const CheckedAsset& asset = input.assets.front();
  Paths paths;
  for (size_t i = 0; i < 500; ++i) {
    paths.push_back(asset.resolved_path);
    paths.push_back(Concat(MissingBeside(asset), i));
  }
  RuleVerdict verdict = AlternatesWithNotFound("Resolve", input.service.Resolve(paths));
  if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
  return AlternatesWithNotFound("GetVersions", input.service.GetVersions(paths));
}

RuleVerdict ImpossiblePathsAreErrors(const RuleInput& input) {
  const std::string& good = input.assets.front().resolved_path;
  const struct {
    const char* what;
    std::string path;
  } kCases[] = {{"the empty path", ""},
                {"a path with NUL", good + std::string("\0x", 2)},
                {"a path of 100,000 bytes", good + std::string(100000, 'x')},
                {"a name of 5,000 bytes", Concat(good, std::string(5000, 'y'))},
                {"a path that is only a scheme", Concat(UriScheme(good), "://")}};
  for (const auto& [what, path] : kCases) {
    SD_FAIL_IF(input.service.ResolveOf(path).ok(), "Resolve accepts ", what);
    SD_FAIL_IF(input.service.GetVersionOf(path).ok(), "GetVersions accepts ", what);
    SD_FAIL_IF(input.service.Read(path, {{0, 1}}).status.ok(), "Read accepts ", what);
    (void)input.service.CreateIdentifierOf(path, good);  // may be anything
    // One such path does not spoil the others.
    const auto both = input.service.Resolve({path, good});
    SD_FAIL_IF(!both.ok(), "Resolve of ", what, " and a good one answers ", Outcome(both.status()),
               " for the whole call");
    SD_FAIL_IF((*both)[0].ok() || !(*both)[1].ok(), "Resolve of ", what,
               " and a good one confuses them");
  }
  return StillAnswers(input, "impossible paths");
}

RuleVerdict InvalidUtf8IsAnError(const RuleInput& input) {
  // Field 1, three bytes, of which none is UTF-8.
  const std::string request("\x0a\x03\xff\xfe\xfd");
  for (const char* method : {"Resolve", "GetVersions", "CreateIdentifier"}) {
    const absl::Status status = input.service.CallRaw(method, request);
    SD_FAIL_IF(status.code() == absl::StatusCode::kUnavailable ||
                   status.code() == absl::StatusCode::kDeadlineExceeded,
               method, " of bytes that are not UTF-8 answers ", Outcome(status));
  }
  return StillAnswers(input, "bytes that are not UTF-8");
}

RuleVerdict PathsDoNotLeadOut(const RuleInput& input) {
  std::string up;
  for (int i = 0; i < 40; ++i) up += "../";
  for (const CheckedAsset& asset : input.assets) {
    for (const char* file : {"etc/passwd", "proc/self/environ"}) {
      const std::string path = Concat(AssetDirectory(asset.resolved_path), "/", up, file);
      SD_FAIL_IF(input.service.ResolveOf(path).ok(), "Resolve accepts ", Quoted(path));
      SD_FAIL_IF(input.service.Read(path, {{0, 1}}).status.ok(), "Read accepts ", Quoted(path));
      SD_FAIL_IF(input.service.GetVersionOf(path).ok(), "GetVersions accepts ", Quoted(path));
    }
  }
  return {};
}

constexpr ServiceRule kPathRules[] = {
    {"identifiers stay what they are", IdentifiersAreStable},
    {"relative paths are anchored to the layer", RelativePathsAreAnchored},
    {"missing assets have identifiers, always the same", MissingAssetsHaveIdentifiers},
    {"identifiers have the scheme or are the asset path", IdentifiersHaveTheScheme},
    {"resolved paths have the scheme and resolve to themselves", ResolvedPathsResolveToThemselves},
    {"missing assets are NOT_FOUND, with the path in the message", MissingAssetsAreNotFound},
    {"bulk calls answer each item, in order", BulkAnswersAreInOrder},
    {"requests with 1,000 items are answered", LargeRequestsAreAnswered},
    {"impossible paths are errors of their items", ImpossiblePathsAreErrors},
    {"bytes that are not UTF-8 do no harm", InvalidUtf8IsAnError},
    {"paths with .. do not lead out", PathsDoNotLeadOut},
};

}  // namespace

std::span<const ServiceRule> PathRules() { return kPathRules; }

}  // namespace stagedoor
