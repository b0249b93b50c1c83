// The micro workloads of ../micro.wat as a native program, once plain and once with LLVM
// XRay's profiling mode, in turn in one process. Prints the CPU time of each round in ms.
//
//   clang++-14 -O2 -fxray-instrument -fxray-modes=xray-profiling calls.cpp -o calls
//   ./calls WORKLOAD N ROUNDS    leaves xray-log.* behind, as XRay does
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include "xray/xray_interface.h"
#include "xray/xray_log_interface.h"

#define PLAIN __attribute__((noinline, xray_never_instrument))
#define XRAY __attribute__((noinline, xray_always_instrument))

// Both have the same source: MARK is all that tells them apart.
#define WORKLOADS(NAME, MARK)                                                      \
  namespace NAME {                                                                 \
  MARK uint32_t work(uint32_t x) {                                                 \
    for (int i = 0; i < 2; i++) {                                                  \
      x = x * 1664525 + 1013904223;                                                \
      asm volatile("" : "+r"(x));                                                  \
    }                                                                              \
    return x;                                                                      \
  }                                                                                \
  MARK uint32_t work2(uint32_t x) {                                                \
    for (int i = 0; i < 2; i++) {                                                  \
      x = (x * 22695477) ^ 1;                                                      \
      asm volatile("" : "+r"(x));                                                  \
    }                                                                              \
    return x;                                                                      \
  }                                                                                \
  MARK uint32_t i0(uint32_t x) { return x + 1; }                                   \
  MARK uint32_t i1(uint32_t x) { return x ^ 3; }                                   \
  MARK uint32_t i2(uint32_t x) { return x * 5; }                                   \
  MARK uint32_t i3(uint32_t x) { return x - 7; }                                   \
  MARK uint32_t i4(uint32_t x) { return x << 9 | x >> 23; }                        \
  MARK uint32_t i5(uint32_t x) { return x | 11; }                                  \
  MARK uint32_t i6(uint32_t x) { return x & -13; }                                 \
  MARK uint32_t i7(uint32_t x) { return x + 15; }                                  \
  uint32_t (*volatile table[8])(uint32_t) = {i0, i1, i2, i3, i4, i5, i6, i7};      \
  MARK uint32_t leaf(uint32_t n) {                                                 \
    uint32_t s = 0;                                                                \
    for (; n; n--) s = work(s);                                                    \
    return s;                                                                      \
  }                                                                                \
  MARK uint32_t fib(uint32_t n) {                                                  \
    if (n < 2) return n;                                                           \
    uint32_t a = fib(n - 1);                                                       \
    asm volatile("" : "+r"(a)); /* keeps clang from making a loop of the second */ \
    uint32_t b = fib(n - 2);                                                       \
    asm volatile("" : "+r"(b));                                                    \
    return a + b;                                                                  \
  }                                                                                \
  MARK uint32_t indirect(uint32_t n) {                                             \
    uint32_t s = 0;                                                                \
    for (; n; n--) s = table[n & 7](s);                                            \
    return s;                                                                      \
  }                                                                                \
  MARK uint32_t alternating(uint32_t n) {                                          \
    uint32_t s = 0;                                                                \
    for (; n; n--) s = work2(work(s));                                             \
    return s;                                                                      \
  }                                                                                \
  MARK uint32_t down(uint32_t n) {                                                 \
    if (!n) return 0;                                                              \
    uint32_t r = down(n - 1);                                                      \
    asm volatile("" : "+r"(r));                                                    \
    return r + 1;                                                                  \
  }                                                                                \
  MARK uint32_t deep(uint32_t n) {                                                 \
    uint32_t s = 0;                                                                \
    for (int i = 0; i < 20; i++) s += down(n);                                     \
    return s;                                                                      \
  }                                                                                \
  }
WORKLOADS(plain, PLAIN)
WORKLOADS(instrumented, XRAY)

using Run = uint32_t (*)(uint32_t);
struct Workload {
  const char *name;
  Run plain, instrumented;
};
#define BOTH(name) {#name, plain::name, instrumented::name}
const Workload workloads[] = {BOTH(leaf), BOTH(fib), BOTH(indirect), BOTH(alternating), BOTH(deep)};

PLAIN double cpu_ms() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec / 1e6;
}

PLAIN double time_of(Run run, uint32_t n, uint32_t expected) {
  double start = cpu_ms();
  uint32_t result = run(n);
  double ms = cpu_ms() - start;
  if (result != expected) exit(6);
  return ms;
}

PLAIN int main(int argc, char **argv) {
  if (argc != 4) return 1;
  uint32_t n = atoi(argv[2]);
  int rounds = atoi(argv[3]);
  // As much as loses nothing in these programs; by default XRay drops paths without a word.
  const char *flags = "per_thread_allocator_max=16777216:stack_allocator_max=16777216";
  for (const Workload &one : workloads) {
    if (strcmp(one.name, argv[1])) continue;
    if (__xray_log_select_mode("xray-profiling") != XRAY_REGISTRATION_OK) return 2;
    if (__xray_log_init_mode("xray-profiling", flags) != XRAY_LOG_INITIALIZED) return 3;
    uint32_t expected = one.plain(n);
    if (__xray_patch() != XRayPatchingStatus::SUCCESS) return 4;
    for (int round = 0; round < rounds; round++) {
      double plain = time_of(one.plain, n, expected);
      printf("%f %f\n", plain, time_of(one.instrumented, n, expected));
    }
    __xray_unpatch();
    if (__xray_log_finalize() != XRAY_LOG_FINALIZED) return 5;
    return __xray_log_flushLog() == XRAY_LOG_FLUSHED ? 0 : 5;
  }
  return 1;
}
