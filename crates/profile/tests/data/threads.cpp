// What threads.xray was recorded from, with clang 14 (but for the checks in main);
// tests/native builds and runs it again.
//
//   clang++-14 -O1 -fno-inline -fxray-instrument -fxray-modes=xray-profiling threads.cpp -o threads -lpthread
//   ./threads
//   llvm-xray-14 extract --symbolize threads > threads.instr-map.yaml
//
// WORKERS threads call work(0), work(1), …, and then the main thread calls work(0).
#include <cstdint>
#include <thread>
#include <vector>
#include "xray/xray_interface.h"
#include "xray/xray_log_interface.h"

#ifndef WORKERS
#define WORKERS 3
#endif
#ifndef FLAGS
#define FLAGS ""
#endif
#define INSTRUMENTED __attribute__((noinline, xray_always_instrument))
#define PLAIN __attribute__((noinline, xray_never_instrument))

volatile uint64_t sink;

INSTRUMENTED void leaf_a(int i) { sink += i; }

INSTRUMENTED void leaf_b(int i) {
  sink ^= i;
  leaf_a(i);
}

INSTRUMENTED int fib(int n) {
  if (n < 2) {
    sink += n;
    return n;
  }
  int a = fib(n - 1);
  int b = fib(n - 2);
  return a + b;
}

INSTRUMENTED int deep(int n) {
  if (n == 0) return 0;
  int r = deep(n - 1);
  sink += r;
  return r + 1;
}

INSTRUMENTED void never_called() { sink = 0; }

INSTRUMENTED void work(int k) {
  for (int i = 0; i < 1000 * (k + 1); i++) {
    leaf_a(i);
    if (i % 3 == 0) leaf_b(i);
  }
  fib(10 + k);
  deep(50);
}

PLAIN int main(int argc, char **) {
  if (argc > 5) never_called();
  if (__xray_log_select_mode("xray-profiling") != XRAY_REGISTRATION_OK) return 1;
  if (__xray_log_init_mode("xray-profiling", FLAGS) != XRAY_LOG_INITIALIZED) return 2;
  if (__xray_patch() != XRayPatchingStatus::SUCCESS) return 3;
  {
    std::vector<std::thread> threads;
    for (int k = 0; k < WORKERS; k++) threads.emplace_back(work, k);
    for (auto &thread : threads) thread.join();
  }
  work(0);
  __xray_unpatch();
  if (__xray_log_finalize() != XRAY_LOG_FINALIZED) return 4;
  if (__xray_log_flushLog() != XRAY_LOG_FLUSHED) return 5;
  return 0;
}
