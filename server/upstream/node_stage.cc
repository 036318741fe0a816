#include "server/upstream/node_stage.h"

#include <utility>

namespace stagedoor::server {

NodeStage::NodeStage(v1::OpenStageRequest request, std::string routing_key,
                     std::string authorization, const v1::OpenStageResponse& opened, size_t address,
                     Clock::time_point now)
    : request_(std::move(request)),
      routing_key_(std::move(routing_key)),
      authorization_(std::move(authorization)),
      interpolation_(opened.stage().interpolation()),
      opened_(opened),
      lease_{.handle = opened.handle(), .address = address},
      last_use_(now) {
  admitted_.emplace(authorization_, now);
}

bool NodeStage::is_private() const { return request_.change_policy() != v1::CHANGE_POLICY_FOLLOW; }

bool NodeStage::may_be_joined_later() const {
  return request_.change_policy() == v1::CHANGE_POLICY_FOLLOW ||
         request_.change_policy() == v1::CHANGE_POLICY_FIXED;
}

NodeStage::Lease NodeStage::lease() const {
  MutexLock lock(mu_);
  return lease_;
}

uint64_t NodeStage::generation() const {
  MutexLock lock(mu_);
  return lease_.generation;
}

v1::OpenStageResponse NodeStage::opened() const {
  MutexLock lock(mu_);
  return opened_;
}

bool NodeStage::Renew(const v1::OpenStageResponse& opened, size_t address) {
  MutexLock lock(mu_);
  if (edited_) return false;
  if (is_private() && opened.stage().snapshot() != opened_.stage().snapshot()) return false;
  opened_ = opened;
  lease_ = {.handle = opened.handle(), .address = address, .generation = lease_.generation + 1};
  return true;
}

std::string NodeStage::newest() const {
  if (!is_private()) return {};
  MutexLock lock(mu_);
  return edited_ ? std::string() : opened_.stage().snapshot();
}

void NodeStage::BeginEdit() {
  MutexLock lock(mu_);
  edited_ = true;
}

bool NodeStage::edited() const {
  MutexLock lock(mu_);
  return edited_;
}

void NodeStage::Use(Clock::time_point now) {
  MutexLock lock(mu_);
  last_use_ = now;
}

NodeStage::Clock::time_point NodeStage::last_use() const {
  MutexLock lock(mu_);
  return last_use_;
}

bool NodeStage::IsAdmitted(const std::string& authorization, Clock::time_point now,
                           Clock::duration age) const {
  MutexLock lock(mu_);
  const auto found = admitted_.find(authorization);
  return found != admitted_.end() && now - found->second <= age;
}

void NodeStage::Admit(const std::string& authorization, Clock::time_point now) {
  MutexLock lock(mu_);
  // Tokens are replaced again and again; the oldest ones are probably no longer valid.
  if (admitted_.size() >= kMaxAdmitted && !admitted_.contains(authorization)) admitted_.clear();
  admitted_[authorization] = now;
}

void NodeStage::Refuse(const std::string& authorization) {
  MutexLock lock(mu_);
  admitted_.erase(authorization);
}

void NodeStage::AddHandle() {
  MutexLock lock(mu_);
  ++handles_;
}

size_t NodeStage::RemoveHandle() {
  MutexLock lock(mu_);
  return --handles_;
}

size_t NodeStage::handles() const {
  MutexLock lock(mu_);
  return handles_;
}

}  // namespace stagedoor::server
