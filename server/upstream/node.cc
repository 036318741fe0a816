#include "server/upstream/node.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

// The share of arrays in the budgets for replies, in memory and on disk.
constexpr size_t kShareOfArrays = 4;

}  // namespace

absl::StatusOr<std::shared_ptr<Node>> Node::Create(const UpstreamOptions& options,
                                                   const LeaseOptions& leases, size_t memory_bytes,
                                                   Schedule schedule) {
  SD_ASSIGN_OR_RETURN(auto addresses, UpstreamAddresses::Create(options));
  std::unique_ptr<ReplyFiles> files;
  std::unique_ptr<ArrayFiles> array_files;
  if (!options.directory.empty()) {
    const size_t array_bytes = options.disk_bytes / kShareOfArrays;
    SD_ASSIGN_OR_RETURN(files,
                        ReplyFiles::Open(options.directory, options.disk_bytes - array_bytes));
    SD_ASSIGN_OR_RETURN(array_files,
                        ArrayFiles::Open(Concat(options.directory, "/arrays"), array_bytes));
  }
  std::shared_ptr<Node> node(new Node(options, leases, memory_bytes, std::move(addresses),
                                      std::move(files), std::move(array_files),
                                      std::move(schedule)));
  node->sessions_.SetOwner(node);
  return node;
}

Node::Node(const UpstreamOptions& options, const LeaseOptions& leases, size_t memory_bytes,
           std::unique_ptr<UpstreamAddresses> addresses, std::unique_ptr<ReplyFiles> files,
           std::unique_ptr<ArrayFiles> array_files, Schedule schedule)
    : options_(options),
      methods_(ForwardedMethods()),
      addresses_(std::move(addresses)),
      files_(std::move(files)),
      array_files_(std::move(array_files)),
      replies_(
          {.max_bytes = options.memory_bytes.value_or(memory_bytes), .clip_age = options.clip_age},
          counters_),
      arrays_(replies_.pool(), replies_.max_bytes() / kShareOfArrays),
      sessions_({*addresses_, counters_, {}},
                {.open = Method("/stagedoor.v1.StagesService/OpenStage"),
                 .close = Method("/stagedoor.v1.StagesService/CloseStage"),
                 .renew = Method("/stagedoor.v1.StagesService/RenewLease")},
                leases),
      schedule_(std::move(schedule)) {
  if (files_ == nullptr) return;
  replies_.SetKeep([this](const std::string& key, const std::shared_ptr<SharedReply>& reply) {
    Keep(key, reply);
  });
  arrays_.SetSave([this](const std::string& kind, std::vector<std::string> digests) {
    Run([this, kind, digests = std::move(digests)] { SaveArrays(kind, digests); });
  });
}

const ForwardedMethod& Node::Method(std::string_view path) const {
  return *std::find_if(methods_.begin(), methods_.end(),
                       [path](const ForwardedMethod& method) { return method.path == path; });
}

void Node::Stop() {
  MutexLock lock(schedule_mu_);
  schedule_ = nullptr;
}

std::vector<MemoryHolder> Node::holders() {
  // The pool of replies has the bytes of arrays, too.
  return {{.name = "replies",
           .size =
               [this] {
                 return MemoryHolder::Size{replies_.size() + arrays_.size(), replies_.bytes()};
               },
           .drop = [this] { DropReplies(); }}};
}

bool Node::Run(std::function<void()> work) {
  MutexLock lock(schedule_mu_);
  if (schedule_ == nullptr) return false;
  schedule_(std::move(work));
  return true;
}

void Node::Fetch(const std::string& key, const std::shared_ptr<SharedReply>& reply) {
  if (files_ == nullptr || !files_->Has(key)) return reply->Start();
  const auto read = [this, key, reply] {
    auto messages = files_->Read(key);
    if (!messages.ok()) {
      spdlog::warn("a reply is fetched again: {}", Message(messages.status()));
      return reply->Start();
    }
    UpstreamCounters::Add(counters_.disk_hits);
    reply->Complete(*messages);
  };
  if (!Run(read)) reply->Start();
}

bool Node::CanRestoreArrays(const std::string& kind) const {
  return array_files_ != nullptr && array_files_->Has(kind) && !arrays_.Knows(kind);
}

void Node::RestoreArrays(const std::string& kind, const std::function<void()>& then) {
  const auto restore = [this, kind, then] {
    auto arrays = array_files_->Read(kind);
    if (arrays.ok()) {
      arrays_.Restore(kind, *std::move(arrays));
    } else {
      spdlog::warn("arrays are fetched again: {}", Message(arrays.status()));
    }
    then();
  };
  if (!Run(restore)) then();
}

void Node::SaveArrays(const std::string& kind, const std::vector<std::string>& digests) {
  const absl::Status written = array_files_->Write(kind, arrays_.Find(digests));
  if (!written.ok()) spdlog::warn("{}", Message(written));
}

ReplyCache::Dropped Node::DropReplies() {
  ReplyCache::Dropped dropped = replies_.DropAll();
  const ArrayStore::Dropped arrays = arrays_.DropAll();
  dropped.entries += arrays.entries;
  dropped.bytes += arrays.bytes;
  return dropped;
}

void Node::Keep(const std::string& key, const std::shared_ptr<SharedReply>& reply) {
  Run([this, key, reply] {
    const absl::Status written = files_->Write(key, reply->messages());
    if (!written.ok()) spdlog::warn("{}", Message(written));
  });
}

void Node::Fill(v1::GetServerStatisticsResponse* response) const {
  response->set_open_stages(sessions_.stages());
  response->set_leases(sessions_.handles());
  v1::UpstreamStatistics* const out = response->mutable_upstream();
  out->set_replies(replies_.size());
  out->set_reply_bytes(replies_.bytes());
  out->set_reply_budget_bytes(replies_.max_bytes());
  if (files_ != nullptr) {
    out->set_files(files_->size());
    out->set_file_bytes(files_->bytes());
    out->set_file_budget_bytes(files_->max_bytes());
  }
  out->set_hits(counters_.hits);
  out->set_file_hits(counters_.disk_hits);
  out->set_shared(counters_.shared);
  // One that is on disk is not in memory.
  out->set_misses(counters_.misses - counters_.disk_hits);
  out->set_passed(counters_.passed);
  out->set_evictions(counters_.evictions);
  out->set_calls(counters_.calls);
  out->set_retries(counters_.retries);
  out->set_failures(counters_.failures);
  out->set_access_checks(counters_.access_checks);
  out->set_reopens(counters_.reopens);
  out->set_received_bytes(counters_.received_bytes);
  out->set_sent_bytes(counters_.sent_bytes);
  out->set_saved_bytes(counters_.saved_bytes);
}

void Node::Fill(v1::GetCacheStatisticsResponse* response) const {
  v1::CacheStatistics* const memory = response->add_caches();
  memory->set_name("replies");
  memory->set_entries(replies_.size());
  memory->set_bytes(replies_.bytes());
  memory->set_budget_bytes(replies_.max_bytes());
  memory->set_hits(counters_.hits + counters_.shared);
  memory->set_misses(counters_.misses);
  memory->set_evictions(counters_.evictions);
  memory->set_opens(counters_.misses - counters_.disk_hits);
  memory->set_failures(counters_.failures);
  v1::CacheStatistics* const arrays = response->add_caches();
  arrays->set_name("reply_arrays");
  arrays->set_entries(arrays_.size());
  arrays->set_bytes(arrays_.bytes());
  arrays->set_budget_bytes(arrays_.max_bytes());
  arrays->set_hits(arrays_.uses());
  arrays->set_evictions(arrays_.evictions());
  if (files_ == nullptr) return;
  v1::CacheStatistics* const saved = response->add_caches();
  saved->set_name("reply_array_files");
  saved->set_entries(array_files_->size());
  saved->set_bytes(array_files_->bytes());
  saved->set_budget_bytes(array_files_->max_bytes());
  v1::CacheStatistics* const disk = response->add_caches();
  disk->set_name("reply_files");
  disk->set_entries(files_->size());
  disk->set_bytes(files_->bytes());
  disk->set_budget_bytes(files_->max_bytes());
  disk->set_hits(counters_.disk_hits);
  disk->set_misses(counters_.misses - counters_.disk_hits);
}

}  // namespace stagedoor::server
