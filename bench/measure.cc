#include "bench/measure.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <utility>

namespace picklock::bench {
namespace {

constexpr unsigned kPatienceSeconds = 900;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

[[noreturn]] void execute(const Command& command, int core) {
  if (core != kAnyCore) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    sched_setaffinity(0, sizeof set, &set);
  }
  alarm(kPatienceSeconds);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

Sample figures_in(const std::string& text) {
  Sample sample;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) continue;
    const char* number = word.c_str() + equals + 1;
    char* end = nullptr;
    const double value = std::strtod(number, &end);
    if (end != number) sample[word.substr(0, equals)] = value;
  }
  return sample;
}

}  // namespace

std::vector<int> usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(static_cast<std::size_t>(core), &set)) cores.push_back(core);
  }
  return cores;
}

Process::Process(const Command& command, int core) : started_(std::chrono::steady_clock::now()) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return;
  child_ = fork();
  if (child_ == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execute(command, core);
  }
  close(ends[1]);
  output_ = ends[0];
}
std::optional<Sample> Process::finish() {
  if (child_ <= 0) return std::nullopt;
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t n = 0; (n = read(output_, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  close(output_);
  int status = 0;
  rusage usage{};
  if (wait4(child_, &status, 0, &usage) < 0 || status != 0) return std::nullopt;
  Sample sample = figures_in(text);
  sample["process_cpu"] = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  sample["peak_kb"] = static_cast<double>(usage.ru_maxrss);
  sample["wall"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  return sample;
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::optional<double> median(const Series& series, std::string_view figure) {
  std::vector<double> values;
  for (const Sample& sample : series.samples) {
    if (auto found = sample.find(figure); found != sample.end()) values.push_back(found->second);
  }
  return median(std::move(values));
}

std::optional<double> ratio(const Series& numerator, const Series& denominator,
                            std::string_view figure) {
  std::vector<double> ratios;
  const std::size_t turns = std::min(numerator.samples.size(), denominator.samples.size());
  for (std::size_t i = 0; i < turns; ++i) {
    auto above = numerator.samples[i].find(figure);
    auto below = denominator.samples[i].find(figure);
    if (above != numerator.samples[i].end() && below != denominator.samples[i].end() &&
        below->second > 0) {
      ratios.push_back(above->second / below->second);
    }
  }
  return median(std::move(ratios));
}

}  // namespace picklock::bench
