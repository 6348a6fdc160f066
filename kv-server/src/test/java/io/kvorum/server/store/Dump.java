package io.kvorum.server.store;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Every byte that tables hold, for comparing two of them. */
public final class Dump {
  private Dump() {}

  public static List<String> of(TableReader tables) {
    List<String> rows = new ArrayList<>();
    HexFormat hex = HexFormat.of();
    for (Table table : Table.values()) {
      try (TableCursor cursor = tables.scan(table, new byte[0], null, false)) {
        while (cursor.next()) {
          String key = hex.formatHex(cursor.key());
          rows.add(table.label() + " " + key + " = " + hex.formatHex(cursor.value()));
        }
      }
    }
    return rows;
  }
}
