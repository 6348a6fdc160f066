package io.kvorum.bench.peer.ratis;

import io.kvorum.bench.system.ParentLife;
import io.kvorum.cli.process.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.util.List;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;

/** A server of the map, which ends with its standard input. */
public final class RatisServer {
  private RatisServer() {}

  /**
   * Runs it.
   *
   * @param arguments all servers, host:port; which of them it is, from 0; its directory
   */
  public static void main(String[] arguments) throws IOException {
    ParentLife.tie();
    String own = arguments[0].split(",", -1)[Integer.parseInt(arguments[1])];
    RaftProperties properties = new RaftProperties();
    RaftServerConfigKeys.setStorageDir(properties, List.of(new File(arguments[2])));
    RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    GrpcConfigKeys.Server.setPort(properties, Integer.parseInt(own.split(":", -1)[1]));
    RaftServer.newBuilder()
        .setServerId(RaftPeerId.valueOf(RatisGroup.id(own)))
        .setStateMachine(new RatisMap())
        .setProperties(properties)
        .setGroup(RatisGroup.of(arguments[0]))
        .build()
        .start();
    System.out.println(ServerProcess.READY_PREFIX + "ratis");
  }
}
