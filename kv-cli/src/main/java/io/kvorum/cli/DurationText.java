package io.kvorum.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration such as {@code 500ms}, {@code 5s} or {@code 2m}; longer than nothing. */
final class DurationText implements ITypeConverter<Duration> {
  private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m)");

  @Override
  public Duration convert(String text) {
    Matcher matcher = DURATION.matcher(text);
    if (matcher.matches()) {
      long amount = Long.parseLong(matcher.group(1));
      Duration duration =
          switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            default -> Duration.ofMinutes(amount);
          };
      if (!duration.isZero()) {
        return duration;
      }
    }
    throw new TypeConversionException(
        "'" + text + "' is no duration such as 500ms, 5s or 2m, of at least 1ms");
  }
}
