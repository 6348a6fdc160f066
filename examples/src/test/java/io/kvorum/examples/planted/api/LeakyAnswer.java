package io.kvorum.examples.planted.api;

import com.google.protobuf.ByteString;
import java.util.List;

/** Planted: a type argument of a public method comes from a dependency. */
public class LeakyAnswer {
  public List<ByteString> values() {
    return List.of();
  }
}
