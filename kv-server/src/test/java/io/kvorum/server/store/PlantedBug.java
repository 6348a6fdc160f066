package io.kvorum.server.store;

import io.kvorum.disk.Disk;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

/** Tables with a bug that no call reports, for tests that must notice it. */
enum PlantedBug {
  /** Of the rows that a delete asks for, the last is missing. */
  DELETE_MISSES_THE_LAST_KEY,
  /** Of the rows that a read from last to first asks for, the first is missing. */
  READ_BACKWARDS_MISSES_THE_LAST_KEY,
  /** Nothing becomes durable, though nobody says so. */
  FLUSH_DOES_NOTHING;

  /** The same home, with the bug in all that it opens. */
  TablesHome in(TablesHome home) {
    return new TablesHome() {
      @Override
      public Tables open() {
        return plant(Tables.class, home.open());
      }

      @Override
      public void replace(Disk files) {
        home.replace(files);
      }

      @Override
      public TableSnapshot peek(Disk files) {
        return home.peek(files);
      }
    };
  }

  private <T> T plant(Class<T> type, T target) {
    Object planted =
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> call(target, method, arguments));
    return type.cast(planted);
  }

  private Object call(Object target, Method method, Object[] arguments) throws Throwable {
    boolean isSnapshot = target instanceof TableSnapshot;
    if (this == FLUSH_DOES_NOTHING && method.getName().equals("flush")) {
      return null;
    }
    Object result;
    try {
      result = method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
    if (result instanceof TableCursor cursor && arguments[0] == Table.LATEST) {
      boolean reverse = (boolean) arguments[3];
      if (this == DELETE_MISSES_THE_LAST_KEY && !isSnapshot) {
        return new Rows(cursor, 0, 1);
      }
      if (this == READ_BACKWARDS_MISSES_THE_LAST_KEY && isSnapshot && reverse) {
        return new Rows(cursor, 1, 0);
      }
    }
    return result instanceof TableSnapshot snapshot ? plant(TableSnapshot.class, snapshot) : result;
  }

  /** The rows of a cursor without some at either end. */
  private static final class Rows implements TableCursor {
    private final List<byte[][]> rows = new ArrayList<>();
    private int at = -1;

    Rows(TableCursor cursor, int withoutFirst, int withoutLast) {
      try (cursor) {
        while (cursor.next()) {
          rows.add(new byte[][] {cursor.key(), cursor.value()});
        }
      }
      rows.subList(0, Math.min(withoutFirst, rows.size())).clear();
      rows.subList(Math.max(0, rows.size() - withoutLast), rows.size()).clear();
    }

    @Override
    public boolean next() {
      at++;
      return at < rows.size();
    }

    @Override
    public byte[] key() {
      return rows.get(at)[0];
    }

    @Override
    public byte[] value() {
      return rows.get(at)[1];
    }

    @Override
    public void close() {
      rows.clear();
    }
  }
}
