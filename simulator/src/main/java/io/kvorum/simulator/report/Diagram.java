package io.kvorum.simulator.report;

import io.kvorum.raft.Envelope;
import io.kvorum.raft.NodeId;
import io.kvorum.raft.RaftStatus.RoleName;
import io.kvorum.simulator.trace.ClientOutcome;
import io.kvorum.simulator.trace.SimEvent;
import io.kvorum.simulator.trace.TraceText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Events as a message sequence diagram: a vertical lane for each node and client, time downwards.
 * Not to scale: each event has a row of its own, and silence is a gap.
 */
final class Diagram {
  private static final int TOP_PIXELS = 16;
  private static final int ROW_PIXELS = 15;
  private static final int GAP_PIXELS = 12;
  private static final long GAP_NANOS = 20_000_000;
  private static final int LABEL_MAX = 30;

  /** A stretch of a lane in which the node has one role, or a client one call under way. */
  private record Stretch(int fromY, String style, int hue, String title) {}

  private record Departure(int y, Envelope envelope) {}

  private final Lanes lanes;
  private final List<SimEvent> events;
  private final StringBuilder back = new StringBuilder();
  private final StringBuilder front = new StringBuilder();
  private final Map<String, Stretch> stretches = new HashMap<>();
  private final Map<Long, Departure> departures = new HashMap<>();
  private final Map<String, Long> commits = new HashMap<>();
  private final Map<Long, String> calls = new HashMap<>();
  private int y = TOP_PIXELS;

  /**
   * A diagram.
   *
   * @param before events that are not shown, but tell what the nodes were at the beginning
   */
  Diagram(Lanes lanes, List<SimEvent> before, List<SimEvent> events) {
    this.lanes = lanes;
    this.events = events;
    before.forEach(this::remember);
  }

  /** The drawing, and under it a mark if something ended it. */
  String svg(boolean isBroken) {
    long lastNanos = events.isEmpty() ? 0 : events.get(0).atNanos();
    for (int i = 0; i < events.size(); i++) {
      SimEvent event = events.get(i);
      if (isShown(event)) {
        y += ROW_PIXELS;
        gap(event.atNanos() - lastNanos);
        lastNanos = event.atNanos();
        time(event.atNanos());
        if (event instanceof SimEvent.Applied applied) {
          i = applied(applied, i);
          continue;
        }
      }
      draw(event);
    }
    y += ROW_PIXELS;
    List.copyOf(stretches.keySet()).stream().sorted().forEach(lane -> end(lane, y));
    departures.forEach((id, departure) -> underWay(departure));
    if (isBroken) {
      add(front, "<line class='broken' x1='0' y1='%d' x2='%d' y2='%d'/>\n", y, lanes.width(), y);
    }
    return "<svg xmlns='http://www.w3.org/2000/svg' role='img' width='%d' height='%d'>\n"
            .formatted(lanes.width(), y + ROW_PIXELS)
        + back
        + front
        + "</svg>\n";
  }

  private boolean isShown(SimEvent event) {
    if (event instanceof SimEvent.LogMoved moved) {
      return moved.commitIndex() > commits.getOrDefault(moved.node().name(), 0L);
    }
    return !(event instanceof SimEvent.Stored) && !(event instanceof SimEvent.StateHashed);
  }

  private void gap(long silentNanos) {
    if (silentNanos >= GAP_NANOS) {
      String text = silentNanos / 1_000_000 + " ms pass";
      add(back, "<text class='gap' x='8' y='%d'>%s</text>\n", y + 2, text);
      y += ROW_PIXELS + GAP_PIXELS;
    }
  }

  private void time(long atNanos) {
    String millis = String.format(Locale.ROOT, "%.3f", atNanos / 1e6);
    add(back, "<text class='time' x='78' y='%d'>%s</text>\n", y + 4, millis);
  }

  /** Before the part that is shown. */
  private void remember(SimEvent event) {
    if (event instanceof SimEvent.RoleTaken taken) {
      begin(taken.node().name(), role(taken, TOP_PIXELS));
    } else if (event instanceof SimEvent.Started started) {
      begin(started.node().name(), new Stretch(TOP_PIXELS, "starting", 0, "starts"));
    } else if (event instanceof SimEvent.Stopped stopped) {
      stretches.remove(stopped.node().name());
    } else if (event instanceof SimEvent.LogMoved moved) {
      commits.put(moved.node().name(), moved.commitIndex());
    } else if (event instanceof SimEvent.Sent sent) {
      departures.put(sent.messageId(), new Departure(TOP_PIXELS, sent.envelope()));
    } else if (event instanceof SimEvent.Delivered delivered) {
      departures.remove(delivered.messageId());
    } else if (event instanceof SimEvent.Lost lost) {
      departures.remove(lost.messageId());
    } else if (event instanceof SimEvent.Called called) {
      calls.put(called.operation(), TraceText.what(called));
      begin("c" + called.client(), call(called, TOP_PIXELS));
    } else if (event instanceof SimEvent.Returned returned) {
      stretches.remove("c" + returned.client());
    }
  }

  private void draw(SimEvent event) {
    if (event instanceof SimEvent.Sent sent) {
      departures.put(sent.messageId(), new Departure(y, sent.envelope()));
    } else if (event instanceof SimEvent.Delivered delivered) {
      arrow(departures.remove(delivered.messageId()), delivered.envelope(), null);
    } else if (event instanceof SimEvent.Lost lost) {
      arrow(departures.remove(lost.messageId()), lost.envelope(), lost.why());
    } else if (event instanceof SimEvent.FaultStruck struck) {
      fault(struck);
    } else if (event instanceof SimEvent.Called called) {
      calls.put(called.operation(), TraceText.what(called));
      begin("c" + called.client(), call(called, y));
      note("c" + called.client(), "call", TraceText.what(called).substring(10), called);
    } else if (event instanceof SimEvent.Returned returned) {
      returned(returned);
    } else {
      drawNode(event);
    }
  }

  private void drawNode(SimEvent event) {
    if (event instanceof SimEvent.RoleTaken taken) {
      String lane = taken.node().name();
      end(lane, y);
      begin(lane, role(taken, y));
      String name = taken.role().name().toLowerCase(Locale.ROOT).replace('_', '-');
      note(lane, "role", name + " " + taken.term(), taken);
    } else if (event instanceof SimEvent.Started started) {
      String lane = started.node().name();
      begin(lane, new Stretch(y, "starting", 0, "starts"));
      note(lane, "life", "starts, life " + started.life(), started);
    } else if (event instanceof SimEvent.Stopped stopped) {
      String lane = stopped.node().name();
      end(lane, y);
      int x = lanes.x(lane);
      add(front, "<path class='stop' d='M%d %dh14m-14 -3v6m14 -6v6'/>\n", x - 7, y);
      note(lane, "life", stopped.why(), stopped);
    } else if (event instanceof SimEvent.LogMoved moved) {
      logMoved(moved);
    } else if (event instanceof SimEvent.Stored stored) {
      int x = lanes.x(stored.node().name());
      add(
          front,
          "<rect class='stored' x='%d' y='%d' width='6' height='6'><title>%s</title></rect>\n",
          x - 14,
          y - 3,
          Html.escape(TraceText.line(stored)));
    }
  }

  private void logMoved(SimEvent.LogMoved moved) {
    String lane = moved.node().name();
    Long before = commits.put(lane, moved.commitIndex());
    if (moved.commitIndex() > (before == null ? 0 : before)) {
      note(lane, "commit", "commit " + moved.commitIndex(), moved);
    }
  }

  /** One mark for entries that a node applies one after another; returns the last one's place. */
  private int applied(SimEvent.Applied first, int at) {
    int last = at;
    while (last + 1 < events.size()
        && events.get(last + 1) instanceof SimEvent.Applied next
        && next.node().equals(first.node())) {
      last++;
    }
    SimEvent.Applied end = (SimEvent.Applied) events.get(last);
    long from = first.entry().index();
    long to = end.entry().index();
    note(
        first.node().name(),
        "applied",
        from == to ? "applied " + to : "applied " + from + "–" + to,
        end);
    return last;
  }

  private void note(String lane, String style, String text, SimEvent event) {
    int x = lanes.x(lane);
    add(front, "<g><title>%s</title>", Html.escape(TraceText.line(event)));
    if (!style.equals("call")) {
      add(front, "<circle class='dot %s' cx='%d' cy='%d' r='4'/>", style, x, y);
    }
    add(
        front,
        "<text class='%s' x='%d' y='%d'>%s</text></g>\n",
        style,
        x + 9,
        y + 4,
        Html.cut(text, LABEL_MAX));
  }

  private static Stretch role(SimEvent.RoleTaken taken, int fromY) {
    String style =
        taken.role() == RoleName.LEADER
            ? "leader"
            : taken.role() == RoleName.FOLLOWER || taken.role() == RoleName.LEARNER
                ? "follower"
                : "candidate";
    // Neighbouring terms get colours far apart.
    int hue = (int) (taken.term() * 137 % 360);
    return new Stretch(fromY, style, hue, taken.node() + " " + taken.role() + " " + taken.term());
  }

  private static Stretch call(SimEvent.Called called, int fromY) {
    return new Stretch(fromY, "calling", 0, TraceText.what(called));
  }

  private void begin(String lane, Stretch stretch) {
    stretches.put(lane, stretch);
  }

  private void end(String lane, int toY) {
    Stretch stretch = stretches.remove(lane);
    if (stretch != null && toY > stretch.fromY()) {
      add(
          back,
          "<rect class='lane %s' style='--hue:%d' x='%d' y='%d' width='8' height='%d'>"
              + "<title>%s</title></rect>\n",
          stretch.style(),
          stretch.hue(),
          lanes.x(lane) - 4,
          stretch.fromY(),
          toY - stretch.fromY(),
          Html.escape(stretch.title()));
    }
  }

  private void returned(SimEvent.Returned returned) {
    String lane = "c" + returned.client();
    end(lane, y);
    ClientOutcome outcome = returned.outcome();
    String style =
        outcome instanceof ClientOutcome.Done
            ? "done"
            : outcome instanceof ClientOutcome.Failed ? "failed" : "unknown";
    String call = calls.getOrDefault(returned.operation(), "");
    String text = TraceText.what(returned).substring(10);
    add(
        front,
        "<g><title>%s%n%s</title><circle class='dot %s' cx='%d' cy='%d' r='4'/>"
            + "<text class='%s' x='%d' y='%d'>%s</text></g>\n",
        Html.escape(call),
        Html.escape(TraceText.line(returned)),
        style,
        lanes.x(lane),
        y,
        style,
        lanes.x(lane) + 9,
        y + 4,
        Html.cut(text, LABEL_MAX));
  }

  private void fault(SimEvent.FaultStruck struck) {
    add(
        back,
        "<rect class='fault' x='0' y='%d' width='%d' height='%d'/>\n",
        y - 7,
        lanes.width(),
        ROW_PIXELS);
    // Below the time column there is room to its left only; so the text stands above the lanes.
    add(
        front,
        "<text class='fault' x='88' y='%d'>⚡ %s</text>\n",
        y + 4,
        Html.escape(struck.fault().toString()));
  }

  /** From where it left, if that is shown, to here; what is lost ends half-way with a cross. */
  private void arrow(@Nullable Departure departure, Envelope envelope, @Nullable String lost) {
    int fromY = departure == null ? y : departure.y();
    int fromX = lanes.x(envelope.from().name());
    int toX = lanes.x(envelope.to().name());
    int side = toX > fromX ? 1 : -1;
    String style = MessageLabel.styleOf(envelope.message());
    String title = TraceText.message(envelope) + (lost == null ? "" : "\nlost: " + lost);
    double endX = lost == null ? toX - 5.0 * side : fromX + (toX - fromX) * 0.6;
    double endY = lost == null ? y : fromY + (y - fromY) * 0.6;
    add(front, "<g class='message %s'><title>%s</title>", style, Html.escape(title));
    add(
        front,
        "<line x1='%d' y1='%d' x2='%.1f' y2='%.1f' %s/>",
        fromX + 5 * side,
        fromY,
        endX,
        endY,
        lost == null ? "marker-end='url(#tip)'" : "class='lost'");
    if (lost != null) {
      add(front, "<path class='cross' d='M%.1f %.1fl8 8m0 -8l-8 8'/>", endX - 4, endY - 4);
    }
    label(envelope, fromX, toX, fromY);
    front.append("</g>\n");
  }

  /** Near its beginning, where arrows of one sender differ in height. */
  private void label(Envelope envelope, int fromX, int toX, int fromY) {
    String text = MessageLabel.of(envelope.message());
    if (!text.isEmpty()) {
      boolean right = toX > fromX;
      add(
          front,
          "<text x='%d' y='%d' text-anchor='%s'>%s</text>",
          right ? fromX + 100 : fromX - 14,
          fromY - 2,
          right ? "start" : "end",
          Html.escape(text));
    }
  }

  private void underWay(Departure departure) {
    NodeId from = departure.envelope().from();
    int fromX = lanes.x(from.name());
    int toX = lanes.x(departure.envelope().to().name());
    add(
        front,
        "<line class='under-way' x1='%d' y1='%d' x2='%.1f' y2='%d'><title>%s</title></line>\n",
        fromX,
        departure.y(),
        fromX + (toX - fromX) * 0.3,
        Math.min(y, departure.y() + ROW_PIXELS),
        Html.escape("under way at the end: " + TraceText.message(departure.envelope())));
  }

  private static void add(StringBuilder svg, String format, Object... arguments) {
    svg.append(String.format(Locale.ROOT, format, arguments));
  }

  /** The names of the lanes, to stand above the drawing. */
  static String heads(Lanes lanes) {
    List<String> heads = new ArrayList<>();
    for (String name : lanes.names()) {
      heads.add("<text x='%d' y='15'>%s</text>".formatted(lanes.x(name) - 8, Html.escape(name)));
    }
    return "<svg class='heads' width='%d' height='22'>%s</svg>\n"
        .formatted(lanes.width(), String.join("", heads));
  }
}
