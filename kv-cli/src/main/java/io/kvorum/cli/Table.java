package io.kvorum.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Lines up columns. */
final class Table {
  private Table() {}

  /**
   * One line for each row, cells left-aligned, two spaces apart. The last cell of a row may be as
   * long as it likes without widening its column.
   */
  static void print(List<List<String>> rows, Consumer<String> line) {
    List<Integer> widths = new ArrayList<>();
    for (List<String> row : rows) {
      for (int column = 0; column < row.size() - 1; column++) {
        if (column == widths.size()) {
          widths.add(0);
        }
        widths.set(column, Math.max(widths.get(column), row.get(column).length()));
      }
    }
    for (List<String> row : rows) {
      StringBuilder text = new StringBuilder();
      for (int column = 0; column < row.size() - 1; column++) {
        String cell = row.get(column);
        text.append(cell).append(" ".repeat(widths.get(column) - cell.length() + 2));
      }
      line.accept(text.append(row.get(row.size() - 1)).toString());
    }
  }
}
