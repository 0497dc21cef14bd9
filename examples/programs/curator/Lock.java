// Curator's InterProcessMutex. A holder reads the resource, works for two seconds, and writes.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryNTimes;

public class Lock {
  static final URI ORDERS = URI.create("http://127.0.0.1:7000/resource/orders");

  public static void main(String[] arguments) throws Exception {
    var http = HttpClient.newHttpClient();
    var ensemble = CuratorFrameworkFactory.newClient("127.0.0.1:2181", 10000, 5000, new RetryNTimes(5, 500));
    ensemble.start();
    var mutex = new InterProcessMutex(ensemble, "/order-42");
    for (int i = 0; i < 3; ++i) {
      mutex.acquire();
      var seen = http.send(HttpRequest.newBuilder(ORDERS).build(), BodyHandlers.ofString());
      Thread.sleep(2000);
      var write = HttpRequest.newBuilder(ORDERS).PUT(HttpRequest.BodyPublishers.ofString("paid"));
      seen.headers().firstValue("ETag").ifPresent(version -> write.header("Based-On", version));
      http.send(write.build(), BodyHandlers.discarding());
      mutex.release();
    }
    System.exit(0);
  }
}
