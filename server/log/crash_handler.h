#ifndef STAGEDOOR_SERVER_LOG_CRASH_HANDLER_H_
#define STAGEDOOR_SERVER_LOG_CRASH_HANDLER_H_

namespace stagedoor::server {

// When the process crashes (SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGABRT, std::terminate), the
// stack of the thread that crashed is written to the log, and to standard error if the log is a
// file: for each frame its address, the offset in its binary for addr2line, and the name of its
// function. Lines have the format of the log. The process then ends by the signal, with a core file
// if those are enabled.
//
// A handler of SIGBUS that is installed later, such as that of mapped files, comes first and passes
// on what it cannot handle. No locks are taken and no memory is allocated after the crash, so it
// works in any state of the process. SIGALRM ends a process that hangs regardless.

// Installs the handlers for the process. `argv0` is the path of its binary. Call it once, after
// InitializeLog.
void InstallCrashHandler(const char* argv0);

// Gives the calling thread a stack of its own for the handlers, without which an overflow of its
// stack would leave no trace. Costs nothing after the first call on a thread, or if
// InstallCrashHandler was not called.
void EnsureCrashStack();

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LOG_CRASH_HANDLER_H_
