package io.kvorum.node;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.disk.simulated.SimulatedDisk;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a node in quarantine remembers over a crash (FAULTS F148). */
class QuarantineMarkTest {
  private static final Divergence WRONG =
      new Divergence(4713, new StateSum(4711, 1, "0a"), new StateSum(4711, 1, "ff"));

  private final SimulatedDisk disk = SimulatedDisk.create(new SplittableRandom(1));
  private final QuarantineMark mark = new QuarantineMark(disk);

  @Test
  void whatIsSetIsThereAfterALossOfPower() {
    assertThat(mark.find()).isNull();
    mark.set(new QuarantineMark.Found(true, 2, WRONG));
    disk.crash();
    disk.restart();
    assertThat(mark.find()).isEqualTo(new QuarantineMark.Found(true, 2, WRONG));
    mark.set(new QuarantineMark.Found(false, 2, WRONG));
    disk.crash();
    disk.restart();
    assertThat(mark.find()).isEqualTo(new QuarantineMark.Found(false, 2, WRONG));
  }

  /** Pinned: see docs/FORMATS.md. */
  @Test
  void theFileIsTextThatAPersonCanRead() {
    mark.set(new QuarantineMark.Found(true, 1, WRONG));
    assertThat(new String(disk.read(QuarantineMark.FILE), UTF_8))
        .startsWith(
            "kvorum-quarantine 1\nstate quarantined\ncount 1\nverdict 4713\nown 4711 1 0a\n"
                + "agreed 4711 1 ff\ncrc ");
  }

  @Test
  void aFileThatSaysSomethingElseIsRefused() {
    CheckedLines.write(
        disk, QuarantineMark.FILE, "kvorum-quarantine 1", List.of("state quarantined"));
    assertThatThrownBy(mark::find)
        .isInstanceOf(DataDirectoryException.class)
        .hasMessageContaining("no line \"own\"");
  }

  @Test
  void onlyOneWrongStateIsKept() {
    mark.freshEvidence().replace("old", new byte[] {1});
    mark.freshEvidence().replace("new", new byte[] {1});
    assertThat(mark.evidence().list()).containsExactly("new");
  }
}
