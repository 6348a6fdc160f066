package io.kvorum.simulator.world;

import io.kvorum.disk.Disk;
import io.kvorum.server.store.MemoryHome;
import io.kvorum.server.store.TableSnapshot;
import io.kvorum.server.store.Tables;
import io.kvorum.server.store.TablesHome;
import org.jspecify.annotations.Nullable;

/** What a machine keeps its tables on, over the ends of its processes. */
public interface TablesMedium extends TablesHome {
  /** The process has ended without closing them: what was not flushed may be gone. */
  void crash();

  /** They are lost altogether. */
  void lose();

  /** Whether checkpoints of them fit on the disk of the machine. */
  default boolean takesSnapshots() {
    return false;
  }

  /** What a checkpoint of such tables holds, as tables of their own; null if there are none. */
  default @Nullable TablesHome copyOf(Disk checkpoint) {
    return null;
  }

  /** One byte of one value changes that nobody has written; false if none can. */
  default boolean flip(double position) {
    return false;
  }

  /** In memory, which forgets what was not flushed. */
  static TablesMedium memory(int writesPerFlush) {
    return new Memory(writesPerFlush);
  }

  /** Tables in memory. */
  final class Memory implements TablesMedium {
    private final int writesPerFlush;
    private MemoryHome home;

    private Memory(int writesPerFlush) {
      this.writesPerFlush = writesPerFlush;
      this.home = new MemoryHome(writesPerFlush);
    }

    @Override
    public Tables open() {
      return home.open();
    }

    @Override
    public void replace(Disk files) {
      home.replace(files);
    }

    @Override
    public TableSnapshot peek(Disk files) {
      return home.peek(files);
    }

    @Override
    public boolean takesSnapshots() {
      return true;
    }

    @Override
    public TablesHome copyOf(Disk checkpoint) {
      MemoryHome copy = new MemoryHome(0);
      copy.replace(checkpoint);
      return copy;
    }

    @Override
    public boolean flip(double position) {
      return home.flip(position);
    }

    @Override
    public void crash() {
      home.crash();
    }

    @Override
    public void lose() {
      home = new MemoryHome(writesPerFlush);
    }
  }
}
