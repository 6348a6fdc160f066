package io.kvorum.bench.report;

import io.kvorum.bench.load.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The medians drawn: a row for each workload, in it the rate and two latencies over the number of
 * clients, all on logarithmic scales, a line for each system.
 */
public final class SvgPlot {
  private static final List<String> COLOURS =
      List.of("#0b6e4f", "#c8553d", "#3d5a80", "#8f6bb3", "#b8860b", "#555555");
  private static final int PANEL_WIDTH = 330;
  private static final int PANEL_HEIGHT = 220;
  private static final int MARGIN = 60;
  private static final int HEAD = 50;

  private static final List<Figure> FIGURES =
      List.of(
          new Figure("operations per second", Summary::operationsPerSecond),
          new Figure("p50 in ms", summary -> summary.p50Nanos() / 1e6),
          new Figure("p99 in ms", summary -> summary.p99Nanos() / 1e6));

  private final List<Summary> summaries;
  private final List<String> systems;
  private final List<Integer> clients;
  private final StringBuilder svg = new StringBuilder();

  private record Figure(String name, ToDoubleFunction<Summary> value) {}

  /** From one power of ten to another. */
  private record Scale(int from, int to) {
    double share(double value) {
      return (Math.log10(value) - from) / (to - from);
    }
  }

  private SvgPlot(List<Summary> summaries) {
    this.summaries = summaries;
    this.systems = summaries.stream().map(Summary::system).distinct().toList();
    this.clients = summaries.stream().map(Summary::clients).distinct().sorted().toList();
  }

  /** A document of its own. */
  public static String text(List<Summary> summaries) {
    return new SvgPlot(summaries).draw();
  }

  private String draw() {
    List<Workload> workloads = summaries.stream().map(Summary::workload).distinct().toList();
    int width = MARGIN + FIGURES.size() * (PANEL_WIDTH + MARGIN);
    int height = HEAD + workloads.size() * (PANEL_HEIGHT + MARGIN);
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"12\">",
        width, height);
    add("<rect width=\"%d\" height=\"%d\" fill=\"white\"/>", width, height);
    for (int i = 0; i < systems.size(); i++) {
      int x = MARGIN + i * 110;
      add("<rect x=\"%d\" y=\"12\" width=\"12\" height=\"12\" fill=\"%s\"/>", x, colour(i));
      add("<text x=\"%d\" y=\"22\">%s</text>", x + 18, systems.get(i));
    }
    for (int row = 0; row < workloads.size(); row++) {
      for (int column = 0; column < FIGURES.size(); column++) {
        int x = MARGIN + column * (PANEL_WIDTH + MARGIN);
        panel(workloads.get(row), FIGURES.get(column), x, HEAD + row * (PANEL_HEIGHT + MARGIN));
      }
    }
    return svg.append("</svg>\n").toString();
  }

  private void panel(Workload workload, Figure figure, int left, int top) {
    List<Summary> shown =
        summaries.stream()
            .filter(summary -> summary.workload() == workload)
            .filter(summary -> figure.value().applyAsDouble(summary) > 0)
            .toList();
    if (shown.isEmpty()) {
      return;
    }
    Scale scale = scale(shown, figure);
    add("<text x=\"%d\" y=\"%d\">%s: %s</text>", left, top - 6, workload.text(), figure.name());
    for (int power = scale.from(); power <= scale.to(); power++) {
      double y = y(top, scale, Math.pow(10, power));
      add(
          "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>",
          left, left + PANEL_WIDTH, y, y);
      add(
          "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
          left - 4, y + 4, power < 0 ? Double.toString(Math.pow(10, power)) : tens(power));
    }
    for (int count : clients) {
      add(
          "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>",
          x(left, count), top + PANEL_HEIGHT + 16, count);
    }
    for (int i = 0; i < systems.size(); i++) {
      line(shown, figure, systems.get(i), colour(i), new double[] {left, top}, scale);
    }
  }

  private void line(
      List<Summary> shown,
      Figure figure,
      String system,
      String colour,
      double[] corner,
      Scale scale) {
    List<String> points = new ArrayList<>();
    for (Summary summary : shown) {
      if (summary.system().equals(system)) {
        double x = x((int) corner[0], summary.clients());
        double y = y((int) corner[1], scale, figure.value().applyAsDouble(summary));
        points.add(String.format(Locale.ROOT, "%.1f,%.1f", x, y));
        add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", x, y, colour);
      }
    }
    add(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>",
        String.join(" ", points), colour);
  }

  private static Scale scale(List<Summary> shown, Figure figure) {
    double least = shown.stream().mapToDouble(figure.value()).min().orElseThrow();
    double most = shown.stream().mapToDouble(figure.value()).max().orElseThrow();
    int from = (int) Math.floor(Math.log10(least));
    int to = (int) Math.ceil(Math.log10(most));
    return new Scale(from, Math.max(to, from + 1));
  }

  private double x(int left, int count) {
    return left + PANEL_WIDTH * (clients.indexOf(count) + 0.5) / clients.size();
  }

  private static double y(int top, Scale scale, double value) {
    return top + PANEL_HEIGHT * (1 - scale.share(value));
  }

  private static String tens(int power) {
    return String.format(Locale.ROOT, "%,d", Math.round(Math.pow(10, power)));
  }

  private static String colour(int system) {
    return COLOURS.get(system % COLOURS.size());
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
