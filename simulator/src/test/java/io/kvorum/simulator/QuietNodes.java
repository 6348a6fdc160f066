package io.kvorum.simulator;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/**
 * A node that loses its disk says so at length; where faults are the point, nobody wants to hear.
 */
public final class QuietNodes implements BeforeAllCallback, AfterAllCallback {
  private static final Logger KVORUM = (Logger) LoggerFactory.getLogger("io.kvorum");

  private Level before;

  @Override
  public void beforeAll(ExtensionContext context) {
    before = KVORUM.getLevel();
    KVORUM.setLevel(Level.OFF);
  }

  @Override
  public void afterAll(ExtensionContext context) {
    KVORUM.setLevel(before);
  }
}
