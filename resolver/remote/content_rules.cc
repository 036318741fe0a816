#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "resolver/remote/remote_store.h"
#include "resolver/remote/service_rules.h"

namespace stagedoor {
namespace {

using Ranges = std::vector<ByteRange>;

RuleVerdict VersionsAreStable(const RuleInput& input) {
  for (const CheckedAsset& asset : input.assets) {
    const auto again = input.service.GetVersionOf(asset.resolved_path);
    SD_FAIL_IF(!again.ok(), Quoted(asset.resolved_path), ": ", Outcome(again.status()));
    SD_FAIL_IF(again->version != asset.info.version || again->size != asset.info.size,
               "the version of ", Quoted(asset.resolved_path), " is ",
               Quoted(again->version.token()), " after ", Quoted(asset.info.version.token()),
               "; is it being changed?");
  }
  return {};
}

// The header of a read, or what is wrong with the read.
RuleVerdict HeaderAgrees(const CheckedAsset& asset, const CheckedService::Reading& reading) {
  SD_FAIL_IF(!reading.status.ok(), Outcome(reading.status));
  SD_FAIL_IF(reading.info->version != asset.info.version, "Read of ", Quoted(asset.resolved_path),
             " sends version ", Quoted(reading.info->version.token()), " but GetVersions returns ",
             Quoted(asset.info.version.token()));
  SD_FAIL_IF(reading.info->size != asset.info.size, "Read of ", Quoted(asset.resolved_path),
             " sends the size ", reading.info->size, " but GetVersions returns ", asset.info.size);
  return {};
}

RuleVerdict ReadAndGetVersionsAgree(const RuleInput& input) {
  for (const CheckedAsset& asset : input.assets) {
    const auto reading = input.service.Read(asset.resolved_path, {});
    RuleVerdict verdict = HeaderAgrees(asset, reading);
    if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
    SD_FAIL_IF(reading.messages != 1, "Read without ranges sends ", reading.messages,
               " messages instead of the header alone");
  }
  return {};
}

// The bytes that reading the ranges of an asset must return, as far as they lie within its start.
std::string Expected(const CheckedAsset& asset, const Ranges& ranges) {
  std::string bytes;
  for (const ByteRange& range : ranges) {
    if (range.offset < asset.start.size()) bytes += asset.start.substr(range.offset, range.size);
  }
  return bytes;
}

RuleVerdict ReadGives(const RuleInput& input, const CheckedAsset& asset, const Ranges& ranges,
                      std::string_view what) {
  const auto reading = input.service.Read(asset.resolved_path, ranges);
  RuleVerdict verdict = HeaderAgrees(asset, reading);
  if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
  SD_FAIL_IF(reading.bytes != Expected(asset, ranges), "Read of ", what, " of ",
             Quoted(asset.resolved_path), " gives ", reading.bytes.size(),
             " bytes, which differ from the whole content");
  return {};
}

RuleVerdict RangesAgreeWithTheWhole(const RuleInput& input) {
  for (const CheckedAsset& asset : input.assets) {
    const uint64_t size = asset.start.size();
    if (size == 0) continue;
    Ranges many;
    for (uint64_t i = 0; i < 1000; ++i) many.push_back({i * 7919 % size, 1});
    const struct {
      const char* what;
      Ranges ranges;
    } kCases[] = {
        {"the first byte", {{0, 1}}},
        {"the last byte", {{size - 1, 1}}},
        {"the middle", {{size / 3, size / 3 + 1}}},
        {"ranges in descending order", {{size / 2, size - size / 2}, {0, size / 2}}},
        {"ranges that overlap", {{0, size}, {size / 4, size / 2}, {0, size}}},
        {"1,000 ranges", many},
    };
    for (const auto& c : kCases) {
      RuleVerdict verdict = ReadGives(input, asset, c.ranges, c.what);
      if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
    }
  }
  return {};
}

RuleVerdict BeyondTheEndIsNothing(const RuleInput& input) {
  for (const CheckedAsset& asset : input.assets) {
    if (asset.start.size() != asset.info.size) continue;  // too large to have been read whole
    const uint64_t size = asset.info.size;
    const uint64_t last = size == 0 ? 0 : size - 1;
    for (const Ranges& ranges :
         {Ranges{{last, 1000}}, Ranges{{size, 1}}, Ranges{{size + 1000, 1000}, {0, 1}},
          Ranges{{last, UINT64_MAX}, {UINT64_MAX, UINT64_MAX}}}) {
      RuleVerdict verdict = ReadGives(input, asset, ranges, "ranges beyond the end");
      if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
    }
  }
  return {};
}

RuleVerdict EmptyRangesAreNothing(const RuleInput& input) {
  for (const CheckedAsset& asset : input.assets) {
    for (const Ranges& ranges : {Ranges{{0, 0}}, Ranges{{asset.info.size, 0}, {UINT64_MAX, 0}},
                                 Ranges{{0, 0}, {0, 1}, {0, 0}}}) {
      RuleVerdict verdict = ReadGives(input, asset, ranges, "empty ranges");
      if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
    }
  }
  return {};
}

RuleVerdict OtherVersionsAreRefused(const RuleInput& input) {
  const CheckedAsset& asset = input.assets.front();
  const auto other = input.service.Read(asset.resolved_path, {{0, 1}},
                                        {.version = "stagedoor-check-no-such-version"});
  SD_FAIL_IF(other.status.code() != absl::StatusCode::kFailedPrecondition,
             "Read of a version that the asset does not have answers ", Outcome(other.status),
             " instead of FAILED_PRECONDITION");
  SD_FAIL_IF(!other.bytes.empty(), "Read sends content of another version than was required");
  const auto same =
      input.service.Read(asset.resolved_path, {{0, 1}}, {.version = asset.info.version.token()});
  return HeaderAgrees(asset, same);
}

RuleVerdict KnownVersionsAreNotSent(const RuleInput& input) {
  const CheckedAsset& asset = input.assets.front();
  const Ranges whole = {{0, asset.info.size}};
  const auto known =
      input.service.Read(asset.resolved_path, whole, {.known_version = asset.info.version.token()});
  RuleVerdict verdict = HeaderAgrees(asset, known);
  if (verdict.verdict != CheckedRule::Verdict::kOk) return verdict;
  SD_FAIL_IF(known.messages != 1, "Read sends the content of a version that the client has");
  const auto other = input.service.Read(asset.resolved_path, {{0, 100}},
                                        {.known_version = "stagedoor-check-no-such-version"});
  SD_FAIL_IF(
      !other.status.ok() || other.bytes != asset.start.substr(0, 100),
      "Read does not send the content if the client has another version: ", Outcome(other.status));
  return {};
}

RuleVerdict EndedCallsDoNoHarm(const RuleInput& input) {
  const CheckedAsset& asset = input.assets.front();
  resolver::v1::ReadRequest request;
  request.set_resolved_path(asset.resolved_path);
  for (int i = 0; i < 1000; ++i) request.add_ranges()->set_size(asset.info.size);
  for (int i = 0; i < 100; ++i) {
    grpc::ClientContext call;
    const bool expired = i % 2 == 0;
    call.set_deadline(std::chrono::system_clock::now() +
                      (expired ? std::chrono::milliseconds(0) : input.service.timeout()));
    const auto stream = input.service.connection()->stub().Read(&call, request);
    resolver::v1::ReadResponse message;
    if (!expired) {
      stream->Read(&message);
      call.TryCancel();
    }
    while (stream->Read(&message)) continue;
    stream->Finish();
  }
  return StillAnswers(input, "100 calls that were cancelled or had expired");
}

RuleVerdict ConcurrentReadsAgree(const RuleInput& input) {
  Mutex mu;
  RuleVerdict result;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (const CheckedAsset& asset : input.assets) {
        RuleVerdict verdict =
            ReadGives(input, asset, {{0, asset.start.size()}}, "the whole, by 8 clients at once,");
        MutexLock lock(mu);
        if (verdict.verdict != CheckedRule::Verdict::kOk) result = verdict;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return result;
}

// The way in which a daemon reads.
RuleVerdict TheDaemonReadsTheSame(const RuleInput& input) {
  const RemoteStore store(input.service.connection());
  for (const CheckedAsset& asset : input.assets) {
    RequestContext context(RequestContext::Clock::now() + input.service.timeout());
    const auto opened = store.Open(context, asset.resolved_path, nullptr, 4096);
    SD_FAIL_IF(!opened.ok(), Outcome(opened.status()));
    SD_FAIL_IF(opened->head != asset.start.substr(0, 4096), "the first bytes of ",
               Quoted(asset.resolved_path), " differ");
    if (asset.start.empty()) continue;
    std::string bytes;
    const ByteRange range{0, asset.start.size()};
    const absl::Status fetched =
        store.Fetch(context, asset.resolved_path, opened->info, std::span(&range, 1),
                    [&](uint64_t, std::span<const std::byte> piece) {
                      bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
                      return absl::OkStatus();
                    });
    SD_FAIL_IF(!fetched.ok(), Outcome(fetched));
    SD_FAIL_IF(bytes != asset.start, "the content of ", Quoted(asset.resolved_path), " differs");
  }
  return {};
}

constexpr ServiceRule kContentRules[] = {
    {"versions stay while the content does", VersionsAreStable},
    {"Read and GetVersions agree on version and size", ReadAndGetVersionsAgree},
    {"ranges agree with the whole content", RangesAgreeWithTheWhole},
    {"nothing is sent from beyond the end", BeyondTheEndIsNothing},
    {"nothing is sent for empty ranges", EmptyRangesAreNothing},
    {"another version than the required one is refused", OtherVersionsAreRefused},
    {"the content of a known version is not sent", KnownVersionsAreNotSent},
    {"cancelled and expired calls do no harm", EndedCallsDoNoHarm},
    {"concurrent reads agree", ConcurrentReadsAgree},
    {"a daemon reads the same", TheDaemonReadsTheSame},
};

}  // namespace

std::span<const ServiceRule> ContentRules() { return kContentRules; }

}  // namespace stagedoor
