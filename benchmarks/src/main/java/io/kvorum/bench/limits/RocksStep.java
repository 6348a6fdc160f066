package io.kvorum.bench.limits;

import io.kvorum.bench.load.Measurement;
import io.kvorum.node.Clock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Writes a batch of puts to a RocksDB that has the defaults and no log of its own: keys of 16
 * bytes, in no order, of a million; values of 256 bytes that do not compress.
 */
final class RocksStep implements Step, AutoCloseable {
  private static final int KEY_BYTES = 16;
  private static final int VALUE_BYTES = 256;
  private static final int KEYS = 1_000_000;

  /** As many are made before anything is measured, and taken in turns. */
  private static final int VALUES = 256;

  private static final String LIBRARY = "library";

  private final int puts;
  private final Clock clock;
  private final SplittableRandom random = new SplittableRandom(1);
  private final byte[] key = new byte[KEY_BYTES];
  private final byte[][] values = new byte[VALUES][VALUE_BYTES];
  private final Options options;
  private final WriteOptions writeOptions;
  private final RocksDB database;

  private RocksStep(int puts, Clock clock, Options options, RocksDB database) {
    this.puts = puts;
    this.clock = clock;
    this.options = options;
    this.database = database;
    this.writeOptions = new WriteOptions().setDisableWAL(true);
    for (byte[] value : values) {
      random.nextBytes(value);
    }
  }

  /**
   * Opens it.
   *
   * @param directory exists; the native library is unpacked beside the data, and goes with it
   */
  static RocksStep open(Path directory, int puts, Clock clock) throws IOException {
    Path library = Files.createDirectory(directory.resolve(LIBRARY));
    NativeLibraryLoader.getInstance().loadLibrary(library.toString());
    // Finds what is loaded, and marks it as such.
    RocksDB.loadLibrary();
    Options options = new Options().setCreateIfMissing(true);
    try {
      RocksDB database = RocksDB.open(options, directory.resolve("data").toString());
      return new RocksStep(puts, clock, options, database);
    } catch (RocksDBException failed) {
      options.close();
      throw new IOException("RocksDB cannot be opened in " + directory, failed);
    }
  }

  @Override
  public int run(Measurement measurement) throws IOException {
    long begin = clock.nanoTime();
    try (WriteBatch batch = new WriteBatch()) {
      for (int i = 0; i < puts; i++) {
        ByteBuffer.wrap(key).putLong(random.nextInt(KEYS)).putLong(0);
        batch.put(key, values[i % VALUES]);
      }
      database.write(writeOptions, batch);
    } catch (RocksDBException failed) {
      throw new IOException("RocksDB cannot write", failed);
    }
    measurement.ended(clock.nanoTime() - begin, puts);
    return 1;
  }

  @Override
  public void close() {
    database.close();
    writeOptions.close();
    options.close();
  }
}
