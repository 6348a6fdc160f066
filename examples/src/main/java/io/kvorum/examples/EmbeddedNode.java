package io.kvorum.examples;

import io.kvorum.api.BlockingKvClient;
import io.kvorum.api.Bytes;
import io.kvorum.api.GetOptions;
import io.kvorum.api.KeyRange;
import io.kvorum.server.KvNode;
import io.kvorum.server.ServerConfig;
import java.nio.file.Path;

/** A node inside this process: a cluster of one, without any port. */
public final class EmbeddedNode {
  private EmbeddedNode() {}

  public static void main(String[] args) {
    Path directory = Path.of(args.length > 0 ? args[0] : "embedded-data");
    // readme: embedded
    try (KvNode node = KvNode.start(ServerConfig.embedded(directory).build())) {
      BlockingKvClient kv = node.blocking();

      long first = kv.put(Bytes.utf8("config/color"), Bytes.utf8("blue")).header().revision();
      kv.put(Bytes.utf8("config/color"), Bytes.utf8("green"));

      Bytes color = Bytes.utf8("config/color");
      System.out.println(kv.get(color).value().orElseThrow()); // green
      System.out.println(
          kv.get(color, GetOptions.DEFAULT.withRevision(first)).value().orElseThrow()); // blue

      kv.range(KeyRange.prefix(Bytes.utf8("config/")))
          .keyValues()
          .forEach(
              found -> System.out.println(found.key() + " at revision " + found.modRevision()));
    }
    // readme: end
  }
}
