// The lock of Curator, as it is, on an ensemble that fails on command (docs/serving.md).
//
//   PICKLOCK=picklock java -cp JARS examples/clients/curator/LockTest.java

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryForever;

public class LockTest {
  static final String PICKLOCK = System.getenv().getOrDefault("PICKLOCK", "picklock");
  static final int PATIENCE = 120;  // seconds, for what Curator does by the clock on the wall

  /** A client with the states of its connection. */
  record Client(CuratorFramework framework, List<ConnectionState> states) {
    InterProcessMutex lock() {
      return new InterProcessMutex(framework, "/orders");
    }
  }

  /** An ensemble whose time stands still until it is advanced, and its clients. */
  static class Servers implements AutoCloseable {
    final Process process;
    final String ports;
    final List<Client> clients = new ArrayList<>();

    Servers() throws IOException {
      process = new ProcessBuilder(PICKLOCK, "serve", "--zookeeper", "servers=3", "--manual", "--json",
          "--die-with-parent").redirectError(ProcessBuilder.Redirect.INHERIT).start();
      ports = process.inputReader().readLine();
    }

    String port(String before) {
      return all(before + "([0-9]+)", ports).get(0).group(1);
    }

    /** A session ends when so much virtual time passes without a ping of its client. */
    Client client(int sessionTimeoutMs, int... servers) throws Exception {
      List<String> hosts = new ArrayList<>();
      for (int server : servers)
        hosts.add("127.0.0.1:" + port("\"zookeeper-" + server + "\",\"kind\":\"zookeeper\",\"port\":"));
      CuratorFramework framework = CuratorFrameworkFactory.builder().connectString(String.join(",", hosts))
          .sessionTimeoutMs(sessionTimeoutMs).retryPolicy(new RetryForever(50)).build();
      Client client = new Client(framework, new CopyOnWriteArrayList<>());
      framework.getConnectionStateListenable().addListener((same, state) -> client.states.add(state));
      framework.start();
      clients.add(client);
      check(framework.blockUntilConnected(PATIENCE, TimeUnit.SECONDS), "it connects");
      return client;
    }

    String ctl(String... words) throws Exception {
      List<String> command = new ArrayList<>(List.of(PICKLOCK, "ctl", "--port", port("\"control\":")));
      command.addAll(List.of(words));
      Process ctl = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      String answer = new String(ctl.getInputStream().readAllBytes());
      check(ctl.waitFor() == 0, "ctl " + String.join(" ", words));
      return answer;
    }

    /** What became of the lock: the connection that did it, and the one whose lock it was. */
    String entries() throws Exception {
      String all = "";
      for (MatchResult one : all("\"what\": \"entry ([a-z]+)\"[^}]*\"key\": \"/orders\"[^}]*\"connection\": ([0-9]+)"
          + "[^}]*\"owner\": ([0-9]+)", ctl("history")))
        all += one.group(1) + " by " + one.group(2) + " of " + one.group(3) + "; ";
      return all;
    }

    @Override
    public void close() throws Exception {
      for (Client client : clients) client.framework.close();
      process.destroy();
      process.waitFor();
    }
  }

  static List<MatchResult> all(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().toList();
  }

  static void check(boolean holds, String what) {
    if (!holds) throw new AssertionError(what);
  }

  static void waitUntil(Callable<Boolean> condition, String what) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE);
    while (!condition.call()) {
      check(System.nanoTime() < until, what);
      Thread.sleep(10);
    }
  }

  static void twoClientsTakeTurns() throws Exception {
    try (Servers servers = new Servers()) {
      InterProcessMutex first = servers.client(40_000, 1, 2, 3).lock();
      InterProcessMutex second = servers.client(40_000, 3, 2, 1).lock();
      first.acquire();
      check(!second.acquire(0, TimeUnit.SECONDS), "the lock is held");
      Thread waiting = new Thread(() -> {
        try {
          second.acquire();
          second.release();
        } catch (Exception error) {
          throw new RuntimeException(error);
        }
      });
      waiting.start();
      waitUntil(() -> first.getParticipantNodes().size() == 2, "the second waits");
      first.release();
      waiting.join(PATIENCE * 1000L);
      check(servers.entries().equals("created by 1 of 0; removed by 1 of 1; created by 2 of 0; removed by 2 of 2; "),
          servers.entries());
    }
  }

  static void aHolderKeepsTheLockWhenTheLeaderCrashes() throws Exception {
    try (Servers servers = new Servers()) {
      Client holder = servers.client(40_000, 1, 2, 3);
      holder.lock().acquire();
      servers.ctl("fault", "crash=zookeeper-1");
      servers.ctl("advance", "5s");  // the others elect a leader
      waitUntil(() -> holder.states.contains(ConnectionState.RECONNECTED), "it connects again");
      check(!holder.states.contains(ConnectionState.LOST), "it keeps its session");
      check(!servers.client(40_000, 2).lock().acquire(0, TimeUnit.SECONDS), "the lock is held");
      check(servers.entries().equals("created by 1 of 0; "), servers.entries());
    }
  }

  static void aHolderThatIsCutOffStillBelievesWhileAnotherHasTheLock() throws Exception {
    try (Servers servers = new Servers()) {
      Client first = servers.client(4_000, 2);
      Client second = servers.client(40_000, 3);
      InterProcessMutex lost = first.lock();
      lost.acquire();
      servers.ctl("fault", "partition=client-1", "from=[\"zookeeper-2\"]", "for=10s");
      servers.ctl("advance", "7s");  // a session of 4 s ends at a multiple of a tick of 2 s
      check(second.lock().acquire(PATIENCE, TimeUnit.SECONDS), "the lock is free");
      check(lost.isAcquiredInThisProcess(), "the first still believes");
      check(servers.entries().equals("created by 1 of 0; removed by 0 of 1; created by 2 of 0; "), servers.entries());
      servers.ctl("advance", "4s");  // the partition is over
      waitUntil(() -> first.states.contains(ConnectionState.LOST), "it learns of its loss");
    }
  }

  public static void main(String[] arguments) throws Exception {
    twoClientsTakeTurns();
    aHolderKeepsTheLockWhenTheLeaderCrashes();
    aHolderThatIsCutOffStillBelievesWhileAnotherHasTheLock();
    System.out.println("OK");
    System.exit(0);
  }
}
