package io.kvorum.examples.planted.api;

import com.google.protobuf.ByteString;

/** A near miss: the dependency stays inside. */
public class TightAnswer {
  private final ByteString value = ByteString.EMPTY;

  public int size() {
    return value.size();
  }
}
