/* SET NX PX and a script that compares the token, by hiredis. A holder reads the resource, works for two seconds, and
   writes. cc lock.c -o lock -lhiredis */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char* const release = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end";

static void wait_for(double seconds) {
  struct timespec time = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e9)};
  nanosleep(&time, NULL);
}

static redisReply* say(redisContext* to, redisReply* reply) {
  if (reply == NULL) {
    fprintf(stderr, "%s\n", to->errstr);
    exit(1);
  }
  return reply;
}

int main(void) {
  redisContext* servers = redisConnect("127.0.0.1", 6379);
  redisContext* resource = redisConnect("127.0.0.1", 7000);
  const char* token = getenv("PICKLOCK_CLIENT");
  for (int i = 0; i < 3; ++i) {
    for (;;) {
      redisReply* granted = say(servers, redisCommand(servers, "SET order-42 %s NX PX 10000", token));
      const int ours = granted->type == REDIS_REPLY_STATUS;
      freeReplyObject(granted);
      if (ours) break;
      wait_for(0.1);
    }
    redisReply* seen = say(resource, redisCommand(resource, "READ orders"));
    wait_for(2);
    freeReplyObject(say(resource, redisCommand(resource, "WRITE orders paid BASED-ON %lld", seen->element[1]->integer)));
    freeReplyObject(seen);
    freeReplyObject(say(servers, redisCommand(servers, "EVAL %s 1 order-42 %s", release, token)));
  }
  return 0;
}
