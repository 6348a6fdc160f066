package io.kvorum.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.raft.InvariantViolation;
import org.junit.jupiter.api.Test;

class EventPlacesTest {
  @Test
  void theyAreSortedByRevisionAndSubAndEachIsThereOnce() {
    EventPlaces first = new EventPlaces();
    first.add(7, 65_535);
    first.add(EventPlaces.REVISION_MAX, 1);
    EventPlaces places = new EventPlaces();
    for (int i = 0; i < 100; i++) {
      places.add(8, 0);
      places.add(7, 2);
    }
    places.addAll(first);
    places.sortOnce();
    assertThat(places)
        .containsExactly(
            RevRow.key(7, 2),
            RevRow.key(7, 65_535),
            RevRow.key(8, 0),
            RevRow.key(EventPlaces.REVISION_MAX, 1));
  }

  @Test
  void whatDoesNotFitIsNotAddedAsAnotherPlace() {
    EventPlaces places = new EventPlaces();
    assertThatThrownBy(() -> places.add(EventPlaces.REVISION_MAX + 1, 0))
        .isInstanceOf(InvariantViolation.class)
        .hasMessageContaining("is not from 0 to 140737488355327");
    assertThat(places).isEmpty();
  }
}
