package io.kvorum.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kvorum.testkit.linearizability.KvInput.Get;
import io.kvorum.testkit.linearizability.KvInput.Put;
import io.kvorum.testkit.linearizability.KvOutput.Seen;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class TimelineTest {
  private final History<KvInput, KvOutput> history = new History<>();

  private void put(String process, String value, long called, long returned) {
    long id = history.call(process, new Put("x", value), called);
    history.returned(id, KvOutput.changed(0), returned);
  }

  private void get(String process, String value, long called, long returned) {
    long id = history.call(process, new Get("x"), called);
    history.returned(id, KvOutput.found(0, Seen.value(value)), returned);
  }

  private Verdict check() {
    return LinearizabilityChecker.of(KvModel.alone()).check(history);
  }

  /** The drawing as a tree: it must be well-formed, whatever the texts in it are. */
  private static Document svg(String html) throws Exception {
    String svg = html.substring(html.indexOf("<svg"), html.indexOf("</svg>") + "</svg>".length());
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }

  private static List<Element> elements(Document svg, String name, String kind) {
    List<Element> found = new ArrayList<>();
    NodeList all = svg.getElementsByTagName(name);
    for (int i = 0; i < all.getLength(); i++) {
      Element element = (Element) all.item(i);
      if (List.of(element.getAttribute("class").split(" ")).contains(kind)) {
        found.add(element);
      }
    }
    return found;
  }

  private static double number(Element element, String attribute) {
    return Double.parseDouble(element.getAttribute(attribute));
  }

  @Test
  void aLaneForEachProcessAndTheOperationWithoutAPlaceInRed() throws Exception {
    put("a", "1", 0, 30);
    put("b", "2", 10, 40);
    history.call("c", new Put("x", "3"), 20);
    get("d", "2", 50, 60);
    get("d", "1", 70, 80);
    Document svg = svg(check().html());
    assertThat(elements(svg, "rect", "lane")).hasSize(4);
    assertThat(elements(svg, "rect", "bar")).hasSize(5);
    assertThat(elements(svg, "rect", "unknown")).hasSize(1);
    List<Element> stuck = elements(svg, "rect", "stuck");
    assertThat(stuck).hasSize(1);
    assertThat(stuck.get(0).getParentNode().getTextContent()).contains("d: get x → 1   [70–80]");
    assertThat(elements(svg, "text", "reason").get(0).getTextContent())
        .contains("get x → 1 has no place", "x=2");
  }

  /** Each dot lies in the bar of its operation, and none to the left of the one before it. */
  @Test
  void theDotsAreAnOrderThatTheBarsAllow() throws Exception {
    for (int i = 0; i < 6; i++) {
      put("p" + i, "" + i, i, 20 + i);
    }
    get("r", "2", 50, 60);
    get("r", "never", 70, 80);
    Document svg = svg(check().html());
    List<Element> dots = elements(svg, "circle", "dot");
    List<Element> bars = elements(svg, "rect", "placed");
    assertThat(dots).hasSize(7);
    assertThat(bars).hasSize(7);
    double last = 0;
    for (Element dot : dots) {
      double x = number(dot, "cx");
      assertThat(x).isGreaterThan(last);
      assertThat(bars)
          .anyMatch(
              bar ->
                  number(bar, "y") + 7 == number(dot, "cy")
                      && number(bar, "x") < x
                      && x < number(bar, "x") + number(bar, "width"));
      last = x;
    }
  }

  @Test
  void ofALongHistoryOnlyWhatIsAroundTheEnd() throws Exception {
    for (int i = 0; i < 5000; i++) {
      put("a", "v" + i, 10L * i, 10L * i + 5);
    }
    get("b", "v2000", 20_000, 20_018);
    get("b", "v1", 30_000, 30_001);
    Document svg = svg(check().html());
    assertThat(elements(svg, "rect", "bar")).hasSizeBetween(10, 40);
    assertThat(elements(svg, "rect", "stuck")).hasSize(1);
    assertThat(check().html()).hasSizeLessThan(40_000);
  }

  @Test
  void textIsNoMarkup() throws Exception {
    put("<script>alert(1)</script>", "\"'&]]>\u0000\ud800", 0, 10);
    get("<b onclick='x'>", "</svg><script src=\"http://x\"></script>", 20, 30);
    String html = check().html();
    assertThat(html).doesNotContain("<script", "<b onclick", "</svg><").doesNotContain("\u0000");
    assertThat(html.split("</svg>", -1)).hasSize(2);
    Document svg = svg(html);
    assertThat(elements(svg, "text", "name").get(0).getTextContent()).startsWith("<b onclick");
    assertThat(svg.getDocumentElement().getTextContent())
        .contains("</svg><script src=\"http://x\">");
  }

  @Test
  void aFailureLeavesAPageThatNeedsNoOtherFile(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("new/run.html");
    assertThatCode(() -> check().orThrow(file)).doesNotThrowAnyException();
    assertThat(file).doesNotExist();
    put("a", "1\ud800", 0, 10);
    get("b", "2", 20, 30);
    assertThatThrownBy(() -> check().orThrow(file))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("get x → 2")
        .hasMessageContaining(file.toString());
    String page = Files.readString(file);
    assertThat(page).startsWith("<!DOCTYPE html>").contains("prefers-color-scheme: dark");
    assertThat(page.replace("http://www.w3.org/2000/svg", "")).doesNotContain("http", "src=");
  }
}
