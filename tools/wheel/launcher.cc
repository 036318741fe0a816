// Both programs of the daemon's wheel, `stagedoord` and `stagedoor`: runs the program of its own
// name with the dynamic loader and the libraries of the wheel (docs/decisions/daemon-wheel.md).
//
// Linked statically, so that it needs nothing of the machine. Installers put it in the folder of an
// environment's programs and the rest in libexec/stagedoor beside that, where the files have the
// paths that they have in the container image.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>

namespace {

#if defined(__x86_64__)
constexpr char kLoader[] = "usr/lib64/ld-linux-x86-64.so.2";
constexpr char kLibraries[] = "usr/lib/x86_64-linux-gnu";
#elif defined(__aarch64__)
constexpr char kLoader[] = "usr/lib/ld-linux-aarch64.so.1";
constexpr char kLibraries[] = "usr/lib/aarch64-linux-gnu";
#else
#error "the paths of the loader and of the libraries are not known for this processor"
#endif

// From the folder of the launcher: as installers place it, and as it is in the wheel itself.
constexpr const char* kHomes[] = {"../libexec/stagedoor", "../data/libexec/stagedoor"};

// The authorities that a machine trusts come first, since they may include those of a studio.
constexpr const char* kCertificates[] = {
    "/etc/ssl/certs/ca-certificates.crt",                 // Debian, Arch, Alpine, NixOS
    "/etc/pki/tls/certs/ca-bundle.crt",                   // Fedora, Red Hat
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",  // newer ones of them
    "/etc/ssl/ca-bundle.pem",                             // SUSE
    "/etc/ssl/cert.pem",                                  // small systems
};
constexpr char kOwnCertificates[] = "etc/ssl/certs/ca-certificates.crt";

// Those of the machine's programs are for its own loader and libraries.
constexpr const char* kLoaderVariables[] = {"LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH"};

// The status with which shells report a command that cannot be run.
constexpr int kExitNotRun = 127;

const char* program = "stagedoor";

struct Path {
  char text[PATH_MAX];
};

[[noreturn]] void Fail(const char* what, const char* path, const char* why) {
  dprintf(STDERR_FILENO, "%s: %s '%s': %s\n", program, what, path, why);
  _exit(kExitNotRun);
}

Path Join(const char* folder, const char* name) {
  Path joined;
  const int length = snprintf(joined.text, sizeof(joined.text), "%s/%s", folder, name);
  if (length >= static_cast<int>(sizeof(joined.text))) Fail("cannot use", folder, "it is too long");
  return joined;
}

// The path of the launcher, with links resolved. Without /proc it is found by the path of its
// start.
Path OwnPath() {
  Path path = {};
  if (readlink("/proc/self/exe", path.text, sizeof(path.text) - 1) > 0) return path;
  const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  if (started == nullptr || realpath(started, path.text) == nullptr) {
    Fail("cannot find the folder of", started == nullptr ? program : started, strerror(errno));
  }
  return path;
}

// The folder of the wheel's files, with links resolved.
Path FindHome(const char* folder) {
  for (const char* relative : kHomes) {
    Path home;
    if (realpath(Join(folder, relative).text, home.text) != nullptr) return home;
  }
  Fail("cannot find", Join(folder, kHomes[0]).text,
       "it is missing; install stagedoor-daemon again");
}

void SetDefault(const char* variable, const char* value) {
  if (setenv(variable, value, 0) != 0) Fail("cannot set", variable, strerror(errno));
}

// Variables by which libraries find files that the machine may not have, or has elsewhere than
// Debian.
void SetEnvironment(const char* home) {
  for (const char* variable : kLoaderVariables) unsetenv(variable);
  const Path own = Join(home, kOwnCertificates);
  const char* certificates = own.text;
  for (const char* path : kCertificates) {
    if (access(path, R_OK) != 0) continue;
    certificates = path;
    break;
  }
  SetDefault("SSL_CERT_FILE", certificates);
  SetDefault("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", getenv("SSL_CERT_FILE"));
  if (access("/usr/share/zoneinfo/UTC", R_OK) != 0) {
    SetDefault("TZDIR", Join(home, "usr/share/zoneinfo").text);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Path self = OwnPath();
  char* const name = const_cast<char*>(strrchr(self.text, '/')) + 1;
  program = name;
  Path folder = self;
  folder.text[name - self.text - 1] = '\0';
  const Path home = FindHome(folder.text);
  if (strpbrk(home.text, ":;$") != nullptr) {
    Fail("cannot run from", home.text,
         "the loader takes ':', ';' and '$' for its own; install stagedoor-daemon elsewhere");
  }
  const Path loader = Join(home.text, kLoader);
  const Path libraries = Join(home.text, kLibraries);
  const Path binary = Join(Join(home.text, "usr/bin").text, name);
  SetEnvironment(home.text);

  // Not the cache of the machine's loader, which knows libraries of the machine. The program's
  // argv[0] is the launcher, because /proc/self/exe is the loader.
  const char* const before[] = {loader.text, "--inhibit-cache", "--library-path", libraries.text,
                                "--argv0",   self.text,         binary.text};
  constexpr size_t kBefore = sizeof(before) / sizeof(before[0]);
  const size_t own = argc > 0 ? static_cast<size_t>(argc) - 1 : 0;
  auto** const all = static_cast<char**>(calloc(kBefore + own + 1, sizeof(char*)));
  if (all == nullptr) Fail("cannot start", binary.text, strerror(errno));
  memcpy(all, before, sizeof(before));
  if (own > 0) memcpy(all + kBefore, argv + 1, own * sizeof(char*));
  execv(loader.text, all);
  Fail("cannot start", loader.text, strerror(errno));
}
