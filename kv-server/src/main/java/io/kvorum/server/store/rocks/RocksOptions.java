package io.kvorum.server.store.rocks;

import io.kvorum.server.store.Table;
import java.util.List;
import java.util.Properties;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
import org.rocksdb.Cache;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;
import org.rocksdb.InfoLogLevel;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.TablePropertiesCollectorFactory;

/** How RocksDB is set up for the tables; PERFORMANCE.md §0 gives the measurements behind it. */
final class RocksOptions {
  private static final int BLOB_BYTES_MIN = 4096;
  private static final int REMOVALS_WINDOW = 128;
  private static final int REMOVALS_MIN = 64;

  /** A year. */
  private static final String BOTTOMMOST_DELAY_SECONDS = "31536000";

  private static final int BLOOM_BITS = 10;
  private static final long META_BUFFER_BYTES = 1L << 20;

  private final Handles handles;
  private final RocksSettings settings;
  private final Cache cache;
  private final BloomFilter bloom;

  RocksOptions(Handles handles, RocksSettings settings) {
    this.handles = handles;
    this.settings = settings;
    cache = handles.add(new LRUCache(settings.blockCacheBytes()));
    bloom = handles.add(new BloomFilter(BLOOM_BITS));
  }

  DBOptions database() {
    DBOptions options = handles.add(new DBOptions());
    return options
        .setCreateIfMissing(true)
        .setCreateMissingColumnFamilies(true)
        // Memory reaches the disk for all tables together, at one point between two batches: with
        // it "latest" and "meta" can never be from different times.
        .setAtomicFlush(true)
        // What was not flushed is replayed from the Raft log; and abandoning means to keep nothing.
        .setAvoidFlushDuringShutdown(true)
        // A write that failed in the background fails the next write, and the node stops. Nobody
        // retries a sync.
        .setMaxBgErrorResumeCount(0)
        .setMaxBackgroundJobs(2)
        .setStatsDumpPeriodSec(0)
        .setStatsPersistPeriodSec(0)
        .setInfoLogLevel(InfoLogLevel.WARN_LEVEL)
        .setMaxLogFileSize(1L << 20)
        .setKeepLogFileNum(2);
  }

  ColumnFamilyOptions family(Table table) {
    return switch (table) {
      case LATEST -> family(settings.latestBufferBytes());
      case REV ->
          // Large values lie beside the tree, written once instead of with every merge. They are
          // not compressed: most large values are already.
          family(settings.revBufferBytes(), history())
              .setEnableBlobFiles(true)
              .setMinBlobSize(BLOB_BYTES_MIN)
              .setBlobCompressionType(CompressionType.NO_COMPRESSION)
              .setEnableBlobGarbageCollection(true);
      case LEASE, SESSION, META -> family(META_BUFFER_BYTES);
    };
  }

  /**
   * For a file of nothing but removals, to be taken in: it is merged with what it removes as soon
   * as there is time, instead of when its level is full.
   */
  static Options removals(Handles handles) {
    Options options = handles.add(new Options());
    compactRemovals(options, handles);
    return options;
  }

  private static void compactRemovals(Options options, Handles handles) {
    options.setTablePropertiesCollectorFactory(
        List.of(
            handles.add(
                TablePropertiesCollectorFactory.NewCompactOnDeletionCollectorFactory(
                    REMOVALS_WINDOW, REMOVALS_MIN, 0))));
  }

  /** For the column family that RocksDB insists on and that holds nothing. */
  ColumnFamilyOptions unused() {
    return family(META_BUFFER_BYTES);
  }

  /**
   * Options that only text can set, and only {@link Options} take. Files at the bottom are not
   * written again merely because nobody holds an older snapshot any more: that would be all of the
   * history once more. And what is left of removals when files with them are merged stays in a
   * hurry, as {@link #removals} says.
   */
  private ColumnFamilyOptions history() {
    Properties properties = new Properties();
    properties.setProperty("bottommost_file_compaction_delay", BOTTOMMOST_DELAY_SECONDS);
    ColumnFamilyOptions read = ColumnFamilyOptions.getColumnFamilyOptionsFromProps(properties);
    if (read == null) {
      throw new AssertionError("RocksDB does not know " + properties);
    }
    Options options = handles.add(new Options(handles.add(new DBOptions()), handles.add(read)));
    compactRemovals(options, handles);
    return handles.add(new ColumnFamilyOptions(options));
  }

  private ColumnFamilyOptions family(long bufferBytes) {
    return family(bufferBytes, handles.add(new ColumnFamilyOptions()));
  }

  private ColumnFamilyOptions family(long bufferBytes, ColumnFamilyOptions from) {
    BlockBasedTableConfig blocks =
        new BlockBasedTableConfig()
            .setBlockCache(cache)
            .setFilterPolicy(bloom)
            .setWholeKeyFiltering(true)
            .setFormatVersion(6);
    return from.setTableFormatConfig(blocks)
        .setWriteBufferSize(bufferBytes)
        // The same on every level: files that do not overlap, as those of the history are, then
        // move to the next one by name. Another compression there means to write them once more.
        .setCompressionType(CompressionType.LZ4_COMPRESSION);
  }
}
