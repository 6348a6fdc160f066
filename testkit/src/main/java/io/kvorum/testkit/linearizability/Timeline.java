package io.kvorum.testkit.linearizability;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Draws where a search ended: a lane for each process, a bar from call to return for each
 * operation, a dot where the longest order lets it take effect. Each call and return is one step to
 * the right, whatever the time between them; of a long history only what is around the end.
 */
final class Timeline {
  private static final int BEFORE_MAX = 48;
  private static final int BEHIND_MAX = 16;
  private static final int STEP_PIXELS = 36;
  private static final int ROW_PIXELS = 40;
  private static final int LEFT_PIXELS = 120;
  private static final int TOP_PIXELS = 24;
  private static final double CHARACTER_PIXELS = 6.4;

  private static final String STYLE =
      """
      :root { color-scheme: light dark; --back: #fff; --ink: #1c2430; --faint: #8a94a3;
        --lane: #f2f4f7; --placed: #2b6cb0; --open: #b7791f; --later: #a0aab8; --bad: #c53030; }
      @media (prefers-color-scheme: dark) { :root { --back: #14181f; --ink: #e4e8ee;
        --faint: #7d8897; --lane: #1b212a; --placed: #63a4e8; --open: #e0a94a; --later: #566070;
        --bad: #ff6b6b; } }
      body { background: var(--back); color: var(--ink); margin: 24px;
        font: 14px/1.5 system-ui, sans-serif; }
      .wide { overflow-x: auto; }
      svg { font: 11px ui-monospace, monospace; fill: var(--ink); }
      .lane { fill: var(--lane); } .name { font-weight: bold; }
      .bar { fill-opacity: .3; stroke-width: 1.5; }
      .placed { fill: var(--placed); stroke: var(--placed); }
      .open { fill: var(--open); stroke: var(--open); }
      .later { fill: var(--later); stroke: var(--later); }
      .stuck { fill: var(--bad); stroke: var(--bad); stroke-width: 2.5; }
      .unknown { stroke-dasharray: 4 3; }
      .order { fill: none; stroke: var(--placed); stroke-opacity: .5; }
      .end { stroke: var(--bad); stroke-dasharray: 2 3; }
      .dot { fill: var(--placed); stroke: var(--back); }
      .reason { fill: var(--bad); } .time { fill: var(--faint); }
      pre { white-space: pre-wrap; font: 12px/1.5 ui-monospace, monospace; }
      """;

  private record Event(long at, boolean isReturn, int operation) {}

  private final Failure failure;
  private final List<Event> events = new ArrayList<>();
  private final int[] calls;
  private final int[] returns;
  private final double[] dots;
  private final int from;
  private final int to;
  private final StringBuilder svg = new StringBuilder();

  Timeline(Failure failure) {
    this.failure = failure;
    int size = failure.operations().size();
    calls = new int[size];
    returns = new int[size];
    dots = new double[size];
    placeEvents();
    placeDots();
    int end = returns[failure.stuck()];
    from = Math.max(0, end - BEFORE_MAX);
    to = Math.min(events.size(), end + BEHIND_MAX);
  }

  private void placeEvents() {
    for (int i = 0; i < calls.length; i++) {
      Failure.Row row = failure.operations().get(i);
      events.add(new Event(row.calledAt(), false, i));
      if (!row.isUnknown()) {
        events.add(new Event(row.returnedAt(), true, i));
      }
      returns[i] = Integer.MAX_VALUE;
    }
    events.sort(
        Comparator.comparingLong(Event::at)
            .thenComparing(Event::isReturn)
            .thenComparing(Event::operation));
    for (int i = 0; i < events.size(); i++) {
      (events.get(i).isReturn() ? returns : calls)[events.get(i).operation()] = i;
    }
  }

  /** As early as their order allows, side by side where several fall between two events. */
  private void placeDots() {
    List<Integer> order = failure.order();
    int at = 0;
    int start = 0;
    for (int i = 0; i <= order.size(); i++) {
      if (i == order.size() || calls[order.get(i)] > at) {
        for (int j = start; j < i; j++) {
          dots[order.get(j)] = at + (j - start + 1.0) / (i - start + 1.0);
        }
        start = i;
        at = i == order.size() ? at : calls[order.get(i)];
      }
    }
  }

  /** A page that needs nothing else. */
  static String page(String text, String drawing) {
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
        + "<title>Linearizability</title>\n<style>\n"
        + STYLE
        + "</style></head><body>\n<div class=\"wide\">\n"
        + drawing
        + "</div>\n<pre>"
        + escape(text)
        + "</pre>\n</body></html>\n";
  }

  String svg() {
    Map<String, List<List<Integer>>> lanes = lanes();
    int rows = lanes.values().stream().mapToInt(List::size).sum();
    int width = LEFT_PIXELS + (to - from + 1) * STEP_PIXELS;
    int height = TOP_PIXELS + (rows + 1) * ROW_PIXELS;
    svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"").append(width);
    svg.append("\" height=\"").append(height).append("\">\n");
    double[] middles = new double[calls.length];
    int row = 0;
    for (Map.Entry<String, List<List<Integer>>> lane : lanes.entrySet()) {
      int top = TOP_PIXELS + row * ROW_PIXELS;
      int high = lane.getValue().size() * ROW_PIXELS - 4;
      add("<rect class='lane' x='0' y='%d' width='%d' height='%d'/>\n", top, width, high);
      add("<text class='name' x='8' y='%d'>%s</text>\n", top + 22, cut(lane.getKey(), 104));
      for (List<Integer> bars : lane.getValue()) {
        drawRow(bars, TOP_PIXELS + row * ROW_PIXELS, middles);
        row++;
      }
    }
    drawOrder(middles);
    drawTimes(TOP_PIXELS + rows * ROW_PIXELS);
    return svg.append("</svg>\n").toString();
  }

  /** By process, the rows of its lane; more than one where its own operations overlap. */
  private Map<String, List<List<Integer>>> lanes() {
    Map<String, List<List<Integer>>> lanes = new TreeMap<>();
    for (int i = 0; i < calls.length; i++) {
      if (!isShown(i)) {
        continue;
      }
      int call = calls[i];
      List<List<Integer>> rows =
          lanes.computeIfAbsent(failure.operations().get(i).process(), p -> new ArrayList<>());
      List<Integer> free =
          rows.stream()
              .filter(row -> returns[row.get(row.size() - 1)] < call)
              .findFirst()
              .orElseGet(
                  () -> {
                    rows.add(new ArrayList<>());
                    return rows.get(rows.size() - 1);
                  });
      free.add(i);
    }
    return lanes;
  }

  private boolean isShown(int operation) {
    if (failure.operations().get(operation).isUnknown() && calls[operation] < from) {
      // Open for ever: of interest only where it takes effect.
      return dots[operation] > from;
    }
    return returns[operation] >= from && calls[operation] <= to;
  }

  private void drawRow(List<Integer> bars, int top, double[] middles) {
    for (int i = 0; i < bars.size(); i++) {
      int operation = bars.get(i);
      Failure.Row row = failure.operations().get(operation);
      double left = x(Math.max(from, calls[operation]));
      double right = x(Math.min(to + 0.9, returns[operation]));
      double room = (i + 1 < bars.size() ? x(calls[bars.get(i + 1)]) : x(to + 1)) - left;
      middles[operation] = top + 25;
      add("<g><title>%s</title>\n", escape(row.toString()));
      add(
          "<rect class='bar %s%s' x='%.1f' y='%d' width='%.1f' height='14' rx='3'/>\n",
          kind(operation), row.isUnknown() ? " unknown" : "", left, top + 18, right - left);
      String label = (calls[operation] < from ? "… " : "") + row.text();
      add("<text x='%.1f' y='%d'>%s</text></g>\n", left, top + 13, cut(label, room));
    }
  }

  private String kind(int operation) {
    if (operation == failure.stuck()) {
      return "stuck";
    }
    if (dots[operation] > 0) {
      return "placed";
    }
    return failure.pending().stream().anyMatch(open -> open.operation() == operation)
        ? "open"
        : "later";
  }

  private void drawOrder(double[] middles) {
    StringBuilder line = new StringBuilder();
    Set<Integer> drawn = new HashSet<>();
    for (int operation : failure.order()) {
      if (middles[operation] > 0 && dots[operation] >= from && dots[operation] <= to + 1) {
        line.append(format("%.1f,%.1f ", x(dots[operation]), middles[operation]));
        drawn.add(operation);
      }
    }
    add("<polyline class='order' points='%s'/>\n", line.toString().strip());
    for (int place = 0; place < failure.order().size(); place++) {
      int operation = failure.order().get(place);
      if (drawn.contains(operation)) {
        add(
            "<circle class='dot' cx='%.1f' cy='%.1f' r='4'><title>%d.</title></circle>\n",
            x(dots[operation]), middles[operation], place + 1);
      }
    }
  }

  private void drawTimes(int bottom) {
    double end = x(returns[failure.stuck()]);
    add("<line class='end' x1='%.1f' y1='%d' x2='%.1f' y2='%d'/>\n", end, TOP_PIXELS, end, bottom);
    String reason = failure.stuckOperation().text() + " has no place; there, " + failure.state();
    add(
        "<text class='reason' x='8' y='14'>%s</text>\n",
        cut(reason, LEFT_PIXELS + (to - from + 1.0) * STEP_PIXELS));
    String last = "";
    for (int position = from; position < Math.min(to + 1, events.size()); position++) {
      String time = Long.toString(events.get(position).at());
      if (!time.equals(last)) {
        String shown = time.length() <= 5 ? time : "…" + time.substring(time.length() - 4);
        add("<text class='time' x='%.1f' y='%d'>%s", x(position), bottom + 14, shown);
        add("<title>%s</title></text>\n", time);
      }
      last = time;
    }
  }

  private double x(double position) {
    return LEFT_PIXELS + (position - from) * STEP_PIXELS;
  }

  private void add(String format, Object... arguments) {
    svg.append(format(format, arguments));
  }

  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }

  /** Escaped, and no longer than fits. */
  private static String cut(String text, double pixels) {
    int characters = Math.max(1, (int) (pixels / CHARACTER_PIXELS));
    int[] points = text.codePoints().toArray();
    return points.length <= characters
        ? escape(text)
        : escape(new String(points, 0, characters - 1)) + "…";
  }

  /** For text and for attributes, of HTML and of SVG. Control characters are no part of either. */
  static String escape(String text) {
    StringBuilder escaped = new StringBuilder();
    text.codePoints()
        .forEach(
            point -> {
              if ("<>&\"'".indexOf(point) >= 0) {
                escaped.append("&#").append(point).append(';');
              } else if ((point < ' ' && point != '\n') || point == 0x7f || isHalf(point)) {
                escaped.append(String.format(Locale.ROOT, "\\x%02x", point));
              } else {
                escaped.appendCodePoint(point);
              }
            });
    return escaped.toString();
  }

  /** Half of a surrogate pair, which no file can hold. */
  private static boolean isHalf(int point) {
    return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
  }
}
