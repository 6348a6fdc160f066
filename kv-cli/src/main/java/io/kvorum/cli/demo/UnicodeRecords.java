package io.kvorum.cli.demo;

import io.kvorum.api.Bytes;
import io.kvorum.cli.transfer.KeyValuePair;
import io.kvorum.cli.transfer.RecordReader;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The characters of Unicode, as the JDK knows them: the assigned code points in order, without
 * those for private use and the surrogates, which have no names of their own. About 144,000 in JDK
 * 17.
 *
 * <p>A pair depends on its code point only. So whoever reads one back knows what it must hold.
 */
final class UnicodeRecords implements RecordReader {
  /** The categories of the Unicode standard by the JDK's numbers; 17 is not used. */
  private static final String[] CATEGORIES = {
    "Cn", "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Me", "Mc", "Nd", "Nl", "No", "Zs", "Zl", "Zp", "Cc",
    "Cf", "", "Co", "Cs", "Pd", "Ps", "Pe", "Pc", "Po", "Sm", "Sc", "Sk", "So", "Pi", "Pf"
  };

  private final int limit;
  private int codePoint;
  private int read;

  /**
   * @param limit the most pairs to give
   */
  UnicodeRecords(int limit) {
    this.limit = limit;
  }

  @Override
  public @Nullable KeyValuePair next() {
    if (read == limit) {
      return null;
    }
    while (codePoint <= Character.MAX_CODE_POINT) {
      int current = codePoint++;
      if (hasName(current)) {
        read++;
        return pair(current);
      }
    }
    return null;
  }

  /** How many pairs there are in all. */
  int count() {
    int count = 0;
    for (int c = 0; c <= Character.MAX_CODE_POINT && count < limit; c++) {
      if (hasName(c)) {
        count++;
      }
    }
    return count;
  }

  private static boolean hasName(int codePoint) {
    int type = Character.getType(codePoint);
    return type != Character.UNASSIGNED
        && type != Character.PRIVATE_USE
        && type != Character.SURROGATE;
  }

  static KeyValuePair pair(int codePoint) {
    String key = String.format(Locale.ROOT, "unicode/U+%04X", codePoint);
    String value =
        "{\"name\":\""
            + Character.getName(codePoint)
            + "\",\"category\":\""
            + CATEGORIES[Character.getType(codePoint)]
            + "\",\"script\":\""
            + Character.UnicodeScript.of(codePoint)
            + "\",\"block\":\""
            + Character.UnicodeBlock.of(codePoint)
            + "\"}";
    return new KeyValuePair(Bytes.utf8(key), Bytes.utf8(value));
  }
}
