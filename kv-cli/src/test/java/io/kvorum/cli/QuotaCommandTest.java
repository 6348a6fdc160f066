package io.kvorum.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.kvorum.api.KvException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** quota: what it says and sets, and what it takes for a number of bytes. */
class QuotaCommandTest {
  private final CommandLineHarness kvorum = new CommandLineHarness();

  @Test
  void itSaysWhatIsUsed() {
    assertThat(kvorum.run("quota")).isZero();
    assertThat(kvorum.out())
        .isEqualTo(
            """
            used         1200 bytes
            quota        none
            reclaimable  300 bytes, by a compaction now
            full         no
            """);
  }

  @Test
  void itSetsAQuotaAndTakesItAwayAgain() {
    assertThat(kvorum.run("quota", "1")).isZero();
    assertThat(kvorum.out()).contains("quota        1 bytes").contains("full         yes");
    assertThat(kvorum.run("quota", "-o", "json", "3M")).isZero();
    assertThat(kvorum.out())
        .isEqualTo(
            "{\"usedBytes\":1200,\"quotaBytes\":3145728,"
                + "\"reclaimableBytes\":300,\"full\":false}\n");
    assertThat(kvorum.run("quota", "none")).isZero();
    assertThat(kvorum.admin.space.quotaBytes()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"1024, 1024", "5K, 5120", "2M, 2097152", "1G, 1073741824", "1T, 1099511627776"})
  void unitsArePowersOf1024(String text, long bytes) {
    assertThat(kvorum.run("quota", text)).isZero();
    assertThat(kvorum.admin.space.quotaBytes()).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"much", "1.5G", "1g", "", "0x10", "1 G", "G", "-5K"})
  void whatIsNoNumberOfBytesIsWrongUsage(String text) {
    assertThat(kvorum.run("quota", "--", text)).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.err()).contains("a quota is a number of bytes").contains("not " + text);
    assertThat(kvorum.connections).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1025T", "1125899906842625", "99999999999999999999", "9999999999T"})
  void whatNoStoreCanHaveIsWrongUsage(String text) {
    assertThat(kvorum.run("quota", text)).isEqualTo(ExitCode.USAGE);
    assertThat(kvorum.err()).contains("1 to 1125899906842624 bytes, or none; not " + text);
    assertThat(kvorum.connections).isZero();
  }

  @Test
  void aRefusalIsToldWithItsReason() {
    kvorum.admin.failure =
        new KvException.Rejected(KvException.Reason.UNSUPPORTED, "n3 knows no quota");
    assertThat(kvorum.run("quota", "1G")).isEqualTo(ExitCode.REJECTED);
    assertThat(kvorum.err()).contains("n3 knows no quota");
  }
}
