#include "resolver/store/store_resolver.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <utility>

#include "base/fingerprinter.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/access/url.h"
#include "resolver/asset_path.h"
#include "resolver/fail_if_outage.h"
#include "resolver/store/store_asset.h"

namespace stagedoor {
namespace {

// A random number in [0, 1). Not reproducible.
double Random() {
  thread_local std::minstd_rand generator{std::random_device()()};
  return std::uniform_real_distribution<double>()(generator);
}

StoreResolverOptions WithDefaults(StoreResolverOptions options, const BlockCache& cache) {
  if (options.random == nullptr) options.random = Random;
  options.catalog.directory = cache.directory();
  return options;
}

absl::StatusOr<AssetVersion> VersionOf(const absl::StatusOr<ObjectInfo>& info) {
  if (!info.ok()) return info.status();
  return info->asset_version();
}

// Whether a store that refused to deliver a version of an object, because it has another one, says
// that this very version is the current one.
bool IsStillCurrent(RequestContext& context, const ObjectStore& store, const std::string& path,
                    const ObjectInfo& info, const absl::Status& refused) {
  if (refused.code() != absl::StatusCode::kDataLoss) return false;
  const auto answers = store.GetInfo(context, std::span(&path, 1));
  return !answers.empty() && answers[0].ok() && answers[0]->version == info.version;
}

// Objects of up to this size are read as a whole for their sample, others from this far before
// their end, where crates and packages have their tables of contents.
constexpr uint64_t kWholeSampleBytes = 256 << 10;
constexpr uint64_t kTailSampleBytes = 64 << 10;
constexpr uint64_t kSamplePieceBytes = 8 << 20;
// How many objects are sampled anew in one list of versions; the others are next time.
constexpr size_t kMaxSamples = 64;

// A fingerprint of the end of an object, or of all of it.
absl::StatusOr<std::string> ReadSample(RequestContext& context, const ObjectStore& store,
                                       const std::string& path, const ObjectInfo& info,
                                       bool whole) {
  Fingerprinter fingerprinter;
  whole = whole || info.size <= kWholeSampleBytes;
  std::string piece;
  for (uint64_t at = whole ? 0 : info.size - kTailSampleBytes; at < info.size;) {
    const ByteRange range{at, std::min(kSamplePieceBytes, info.size - at)};
    piece.resize(range.size);
    SD_RETURN_IF_ERROR(store.Fetch(
        context, path, info, {&range, 1}, [&](uint64_t offset, std::span<const std::byte> bytes) {
          std::memcpy(piece.data() + (offset - range.offset), bytes.data(), bytes.size());
          return absl::OkStatus();
        }));
    fingerprinter.Add(piece);
    at = range.end();
  }
  return fingerprinter.Finish();
}

// Objects above this size are not taken seriously: the tables of their blocks would be too large.
constexpr uint64_t kMaxObjectBytes = uint64_t{1} << 38;

absl::Status CheckSize(const std::string& path, const ObjectInfo& info) {
  if (info.size <= kMaxObjectBytes) return absl::OkStatus();
  return InvalidArgumentError(Quoted(UrlForMessage(path)), " has ", info.size,
                              " bytes; at most 256 GiB are supported");
}

}  // namespace

StoreResolver::StoreResolver(std::shared_ptr<const ObjectStore> store, BlockCache& cache,
                             StoreResolverOptions options,
                             std::shared_ptr<const IdentifierService> identifiers)
    : store_(std::move(store)),
      identifiers_(std::move(identifiers)),
      cache_(cache),
      options_(WithDefaults(std::move(options), cache)),
      catalog_(std::make_shared<ObjectCatalog>(options_.catalog)) {}

void StoreResolver::Expire(std::span<const std::string> paths) const {
  for (const std::string& path : paths) {
    catalog_->Expire(path);
    flights_.Forget(path);
  }
}

void StoreResolver::ExpireAll() const {
  catalog_->ExpireAll();
  flights_.ForgetAll();
}

std::string StoreResolver::CreateIdentifier(RequestContext& context,
                                            const ResolverContext& resolver_context,
                                            std::string_view asset_path,
                                            std::string_view anchor) const {
  if (identifiers_ == nullptr) {
    return CreateDefaultIdentifier(*this, context, resolver_context, asset_path, anchor);
  }
  if (asset_path.empty()) return {};
  absl::StatusOr<std::string> identifier =
      identifiers_->CreateIdentifier(context, std::string(asset_path), std::string(anchor));
  if (identifier.ok()) return *std::move(identifier);
  FailIfOutage(context, identifier.status()).IgnoreError();
  return NormalizeAssetPath(asset_path);
}

absl::StatusOr<std::string> StoreResolver::Resolve(RequestContext& context, const ResolverContext&,
                                                   std::string_view identifier) const {
  SD_RETURN_IF_ERROR(CheckAssetPath(identifier));
  if (identifiers_ != nullptr) {
    absl::StatusOr<std::string> resolved = identifiers_->Resolve(context, std::string(identifier));
    if (!resolved.ok()) FailIfOutage(context, resolved.status()).IgnoreError();
    return resolved;
  }
  std::string path = NormalizeAssetPath(identifier);
  const absl::StatusOr<ObjectInfo> info = Current(context, path);
  if (!info.ok()) return FailIfOutage(context, info.status());
  return path;
}

absl::StatusOr<std::shared_ptr<const Asset>> StoreResolver::OpenAsset(
    RequestContext& context, const ResolverContext&, std::string_view resolved_path) const {
  SD_RETURN_IF_ERROR(CheckAssetPath(resolved_path));
  const std::string path = NormalizeAssetPath(resolved_path);
  const absl::StatusOr<ObjectInfo> info = Current(context, path);
  if (!info.ok()) return FailIfOutage(context, info.status());
  if (info->size == 0) return InMemoryAsset::FromString(path, info->asset_version(), "");
  absl::StatusOr<std::shared_ptr<const BlockFile>> file = OpenFile(path, *info);
  if (!file.ok()) return FailIfOutage(context, file.status());
  return std::make_shared<StoreAsset>(path, info->asset_version(), *std::move(file));
}

absl::StatusOr<AssetVersion> StoreResolver::GetVersion(RequestContext& context,
                                                       const ResolverContext&,
                                                       std::string_view resolved_path) const {
  SD_RETURN_IF_ERROR(CheckAssetPath(resolved_path));
  SD_ASSIGN_OR_RETURN(const ObjectInfo info, Current(context, NormalizeAssetPath(resolved_path)));
  return info.asset_version();
}

std::vector<absl::StatusOr<AssetVersion>> StoreResolver::GetVersions(
    RequestContext& context, const ResolverContext&,
    std::span<const std::string> resolved_paths) const {
  std::vector<absl::StatusOr<AssetVersion>> versions(resolved_paths.size(),
                                                     absl::UnknownError("not asked"));
  std::vector<size_t> asked;
  std::vector<std::string> paths;
  for (size_t i = 0; i < resolved_paths.size(); ++i) {
    if (absl::Status valid = CheckAssetPath(resolved_paths[i]); !valid.ok()) {
      versions[i] = valid;
      continue;
    }
    std::string path = NormalizeAssetPath(resolved_paths[i]);
    if (const auto known = Known(context, path)) {
      versions[i] = VersionOf(*known);
      continue;
    }
    asked.push_back(i);
    paths.push_back(std::move(path));
  }
  if (paths.empty()) return versions;
  const uint64_t generation = catalog_->generation();
  const std::vector<absl::StatusOr<ObjectInfo>> answers = store_->GetInfo(context, paths);
  size_t reads = kMaxSamples;
  for (size_t i = 0; i < paths.size() && i < answers.size(); ++i) {
    versions[asked[i]] = VersionOf(Note(context, paths[i], answers[i], generation, &reads));
  }
  return versions;
}

absl::StatusOr<ObjectInfo> StoreResolver::Current(RequestContext& context,
                                                  const std::string& path) const {
  SD_RETURN_IF_ERROR(context.Check());
  if (const auto known = Known(context, path)) return *known;
  const uint64_t generation = catalog_->generation();
  absl::StatusOr<ObjectInfo> answer =
      flights_.Do(context, path, [&] { return Ask(context, path); });
  if (!IsWithoutAnswer(answer.status())) return answer;
  return Stale(context, path, answer.status(), generation);
}

std::optional<absl::StatusOr<ObjectInfo>> StoreResolver::Known(RequestContext& context,
                                                               const std::string& path) const {
  const auto known = catalog_->Find(path);
  if (!known || options_.catalog.now() >= known->fresh_until) return std::nullopt;
  if (!known->missing.ok()) return known->missing;
  if (known->stale) return UseStale(context, path, *known);
  return known->info;
}

absl::StatusOr<ObjectInfo> StoreResolver::Ask(RequestContext& context,
                                              const std::string& path) const {
  const auto known = catalog_->Find(path);
  const bool exists = known && known->missing.ok();
  const uint64_t generation = catalog_->generation();
  absl::StatusOr<ObjectStore::Opened> opened =
      store_->Open(context, path, exists ? &known->info : nullptr, options_.head_bytes);
  if (!opened.ok()) {
    if (opened.status().code() == absl::StatusCode::kNotFound) {
      catalog_->PutMissing(path, opened.status(), FreshFor(), generation);
    }
    return opened.status();
  }
  if (opened->head.size() > opened->info.size) {
    return UnavailableError("the store sent more bytes than ", Quoted(UrlForMessage(path)), " has");
  }
  SD_RETURN_IF_ERROR(CheckSize(path, opened->info));
  size_t reads = 1;
  SD_ASSIGN_OR_RETURN(const Clock::time_point sampled,
                      Sample(context, path, opened->head, &reads, &opened->info));
  if (!opened->head.empty()) {
    SD_ASSIGN_OR_RETURN(const auto file, OpenFile(path, opened->info));
    SD_RETURN_IF_ERROR(file->PutHead(opened->head));
  }
  catalog_->Put(path, opened->info, FreshFor(), generation, sampled);
  return opened->info;
}

absl::StatusOr<StoreResolver::Clock::time_point> StoreResolver::Sample(RequestContext& context,
                                                                       const std::string& path,
                                                                       std::string_view head,
                                                                       size_t* reads,
                                                                       ObjectInfo* info) const {
  info->sample.clear();
  if (!info->by_time || info->size == 0) return ObjectCatalog::kNever;
  const Clock::time_point now = options_.catalog.now();
  if (head.size() == info->size) {
    info->sample = FingerprintOf(head);
    return now;
  }
  const auto known = catalog_->Find(path);
  const bool same = known && known->missing.ok() && known->info.version == info->version &&
                    !known->info.sample.empty();
  const bool recent =
      same && known->sampled != ObjectCatalog::kNever && now < known->sampled + options_.resample;
  if (recent || (same && *reads == 0)) {
    info->sample = known->info.sample;
    return known->sampled;
  }
  if (*reads > 0) --*reads;
  auto sample = ReadSample(context, *store_, path, *info, options_.verify_content);
  if (!sample.ok()) {
    const bool disputed = IsStillCurrent(context, *store_, path, *info, sample.status());
    return disputed ? AsDisputed(sample.status()) : sample.status();
  }
  info->sample = *std::move(sample);
  return now;
}

absl::StatusOr<ObjectInfo> StoreResolver::Note(RequestContext& context, const std::string& path,
                                               const absl::StatusOr<ObjectInfo>& answer,
                                               uint64_t generation, size_t* reads) const {
  if (answer.ok()) {
    SD_RETURN_IF_ERROR(CheckSize(path, *answer));
    ObjectInfo info = *answer;
    SD_ASSIGN_OR_RETURN(const Clock::time_point sampled, Sample(context, path, "", reads, &info));
    catalog_->Put(path, info, FreshFor(), generation, sampled);
    return info;
  }
  if (answer.status().code() == absl::StatusCode::kNotFound) {
    catalog_->PutMissing(path, answer.status(), FreshFor(), generation);
  }
  if (IsWithoutAnswer(answer.status())) return Stale(context, path, answer.status(), generation);
  return answer;
}

absl::StatusOr<ObjectInfo> StoreResolver::Stale(RequestContext& context, const std::string& path,
                                                const absl::Status& why,
                                                uint64_t generation) const {
  const auto known = catalog_->Find(path);
  const bool exists = known && known->missing.ok();
  if (!exists || options_.stale_if_error.count() == 0) return why;
  const auto age = options_.catalog.wall_now() - known->validated;
  if (age > options_.stale_if_error) return why;
  catalog_->PutStale(path, *known, FreshFor(), generation);
  return UseStale(context, path, *known);
}

ObjectInfo StoreResolver::UseStale(RequestContext& context, const std::string& path,
                                   const ObjectCatalog::Known& known) const {
  const auto age = options_.catalog.wall_now() - known.validated;
  context.Warn({.kind = Warning::Kind::kStaleAsset,
                .asset = UrlForMessage(path),
                .path = {},
                .message = Concat("the origin is unavailable; used as it was ",
                                  std::chrono::duration_cast<std::chrono::seconds>(age).count(),
                                  " seconds ago")});
  return known.info;
}

absl::StatusOr<std::shared_ptr<const BlockFile>> StoreResolver::OpenFile(
    const std::string& path, const ObjectInfo& info) const {
  return cache_.Open({path, info.asset_version().token(), info.size},
                     [store = store_, catalog = catalog_, path, info](
                         RequestContext& context, std::span<const ByteRange> ranges,
                         const ObjectStore::Sink& sink) {
                       const auto start = Clock::now();
                       absl::Status fetched = store->Fetch(context, path, info, ranges, sink);
                       if (IsStillCurrent(context, *store, path, info, fetched)) {
                         fetched = AsDisputed(std::move(fetched));
                       }
                       uint64_t bytes = 0;
                       for (const ByteRange& range : ranges) bytes += range.size;
                       context.costs().Record(RequestCosts::Kind::kFetch, UrlForMessage(path),
                                              bytes, Clock::now() - start);
                       // The next one to open the object must see its new version.
                       if (fetched.code() == absl::StatusCode::kDataLoss) catalog->Expire(path);
                       return fetched;
                     });
}

StoreResolver::Clock::duration StoreResolver::FreshFor() const {
  return std::chrono::duration_cast<Clock::duration>(options_.revalidate *
                                                     (1 + options_.random() / 4));
}

}  // namespace stagedoor
