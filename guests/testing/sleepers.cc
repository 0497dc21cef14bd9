// A program under test: threads that sleep, wait for each other and for words of memory.
#include <pthread.h>
#include <time.h>

#include <cstdio>
#include <cstring>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int turn = 0;

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void pause_for(long milliseconds) {
  const timespec span{milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  nanosleep(&span, nullptr);
}

void say(const char* who, const char* what) {
  std::printf("%.6f %s %s\n", seconds(), who, what);
  std::fflush(stdout);
}

void* take_turns(void* argument) {
  const int mine = *static_cast<int*>(argument);
  for (int round = 0; round < 3; ++round) {
    pthread_mutex_lock(&mutex);
    while (turn % 4 != mine) pthread_cond_wait(&changed, &mutex);
    ++turn;
    char name[16];
    std::snprintf(name, sizeof name, "thread %d", mine);
    say(name, "has its turn");
    pause_for(10);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
  }
  return nullptr;
}

void* wait_in_vain(void*) {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 2;
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&own);
  const int error = pthread_cond_timedwait(&never, &own, &until);
  pthread_mutex_unlock(&own);
  say("in vain:", std::strerror(error));
  return nullptr;
}

void* sleep_long(void*) {
  pause_for(60'000);
  say("the sleeper", "wakes");
  return nullptr;
}

}  // namespace

int main() {
  say("main", "starts");
  int numbers[4] = {0, 1, 2, 3};
  pthread_t turns[4];
  for (int i = 0; i < 4; ++i) pthread_create(&turns[i], nullptr, take_turns, &numbers[i]);
  pthread_t vain{};
  pthread_t sleeper{};
  pthread_create(&vain, nullptr, wait_in_vain, nullptr);
  pthread_create(&sleeper, nullptr, sleep_long, nullptr);
  for (pthread_t thread : turns) pthread_join(thread, nullptr);
  say("main", "joined those with turns");
  pthread_join(vain, nullptr);
  say("main", "ends and lets the sleeper be");
  return 0;
}
