// What one core can do at most: fused multiply-adds from registers, and copying an array too large for any cache.
// Prints GFLOP/s and GB/s (bytes read plus bytes written), the best of several repetitions.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <iostream>
#include <vector>

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif
typedef double Vector __attribute__((vector_size(register_bytes)));
constexpr int lanes = register_bytes / int(sizeof(double));

template<typename Work>
double best_seconds(int repetitions, Work work)
{
  double best = 1e9;
  for (int k = 0; k < repetitions; ++k) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(best, double(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

int main()
{
  // Twelve independent chains: more than latency times throughput of any fused multiply-add unit of today.
  constexpr int chains = 12;
  constexpr long steps = 1'000'000;
  volatile double unknown = 0.9999;  // to the compiler, which would otherwise compute the loop itself
  Vector x[chains], factor = Vector{} + unknown, addend = Vector{} + unknown;
  for (auto & v : x) v = Vector{} + unknown;
  const double compute = best_seconds(200, [&] {
    for (long k = 0; k < steps; ++k) {
#pragma GCC unroll 12
      for (int c = 0; c < chains; ++c) x[c] = x[c] * factor + addend;
    }
  });
  double used = 0.0;
  for (const auto & v : x) used += v[0];

  constexpr std::size_t count = std::size_t(1) << 26;  // half a gigabyte each
  std::vector<double> from(count, 1.0), to(count, 0.0);
  const double copy = best_seconds(10, [&] { std::memcpy(to.data(), from.data(), count * sizeof(double)); });
  std::cerr << used + to[count / 2] << '\n';  // results are used, so that the work is done
  std::cout << 2e-9 * chains * lanes * double(steps) / compute << ' ' << 16e-9 * double(count) / copy << std::endl;
}
