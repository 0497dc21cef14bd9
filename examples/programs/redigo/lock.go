// SET NX PX and a script that compares the token, by redigo. A holder reads the resource, works for two seconds, writes.
package main

import (
	"os"
	"time"

	"github.com/gomodule/redigo/redis"
)

var release = redis.NewScript(1, "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end")

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	servers := must(redis.Dial("tcp", "127.0.0.1:6379"))
	resource := must(redis.Dial("tcp", "127.0.0.1:7000"))
	token := os.Getenv("PICKLOCK_CLIENT")
	for i := 0; i < 3; i++ {
		for must(servers.Do("SET", "order-42", token, "NX", "PX", 10000)) == nil {
			time.Sleep(100 * time.Millisecond)
		}
		seen := must(redis.Values(resource.Do("READ", "orders")))
		time.Sleep(2 * time.Second)
		must(resource.Do("WRITE", "orders", "paid", "BASED-ON", seen[1]))
		must(release.Do(servers, "order-42", token))
	}
}
