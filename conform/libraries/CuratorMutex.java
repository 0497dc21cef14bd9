import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryNTimes;

public class CuratorMutex {
  static final URI ORDERS = URI.create("http://127.0.0.1:7000/resource/orders");
  static final HttpClient http = HttpClient.newHttpClient();

  static void write(String value) throws Exception {
    http.send(HttpRequest.newBuilder(ORDERS).PUT(HttpRequest.BodyPublishers.ofString(value)).build(),
        BodyHandlers.discarding());
  }

  public static void main(String[] arguments) throws Exception {
    var ensemble = CuratorFrameworkFactory.builder().connectString("127.0.0.1:2181").sessionTimeoutMs(10000)
        .connectionTimeoutMs(5000).retryPolicy(new RetryNTimes(3, 1000)).ensembleTracker(false).build();
    ensemble.start();
    var mutex = new InterProcessMutex(ensemble, "/order-42");
    for (int i = 0; i < 2; ++i) {
      if (i > 0) Thread.sleep(500);
      mutex.acquire();
      write("begun");
      Thread.sleep(4000);
      write("paid");
      mutex.release();
    }
    System.exit(0);
  }
}
