#include "client/sdk/callback_scope.h"

namespace stagedoor::sdk {
namespace {

thread_local int depth = 0;

}  // namespace

CallbackScope::CallbackScope() { ++depth; }
CallbackScope::~CallbackScope() { --depth; }
bool CallbackScope::active() { return depth > 0; }

}  // namespace stagedoor::sdk
