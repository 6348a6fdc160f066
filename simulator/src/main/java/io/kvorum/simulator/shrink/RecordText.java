package io.kvorum.simulator.shrink;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.StringJoiner;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Records as text of the form {@code a=1 b.c=x}, and back. Found out from their components, so that
 * a new record needs no code here.
 *
 * <p>Components may be numbers, booleans, enums, texts, records, lists and sets of these, and null.
 * A record of one component is written as that component alone. What is special in a text is
 * percent-encoded, so neither a space nor a comma is ever part of a value.
 */
final class RecordText {
  /** Stands for null; in a text it is encoded. */
  static final String NULL = "~";

  private static final String EMPTY = "\"\"";

  private RecordText() {}

  static String write(Record record) {
    Map<String, String> fields = new LinkedHashMap<>();
    flatten("", record, fields);
    StringJoiner text = new StringJoiner(" ");
    fields.forEach((name, value) -> text.add(name + "=" + value));
    return text.toString();
  }

  /**
   * Reads a record back.
   *
   * @throws IllegalArgumentException that says which field is missing, unknown or wrong
   */
  static <R extends Record> R read(Class<R> type, String text) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String field : text.isBlank() ? new String[0] : text.strip().split(" +")) {
      int equals = field.indexOf('=');
      if (equals < 0) {
        throw new IllegalArgumentException("\"" + field + "\" is not of the form name=value");
      }
      if (fields.put(field.substring(0, equals), field.substring(equals + 1)) != null) {
        throw new IllegalArgumentException(field.substring(0, equals) + " stands there twice");
      }
    }
    R record = type.cast(readComponents(type, "", fields));
    if (!fields.isEmpty()) {
      throw new IllegalArgumentException(
          type.getSimpleName() + " has no " + fields.keySet().iterator().next());
    }
    return record;
  }

  /** The record with another number for one of its components, an {@code int} or a {@code long}. */
  static <R extends Record> R with(R record, String component, long number) {
    RecordComponent[] components = record.getClass().getRecordComponents();
    @Nullable Object[] values = new @Nullable Object[components.length];
    for (int i = 0; i < components.length; i++) {
      values[i] = value(components[i], record);
      if (components[i].getName().equals(component)) {
        values[i] = parse(components[i].getType(), component, Long.toString(number));
      }
    }
    @SuppressWarnings("unchecked")
    Class<R> type = (Class<R>) record.getClass();
    return type.cast(create(type, values));
  }

  private static void flatten(String prefix, Record record, Map<String, String> fields) {
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      String name = prefix + component.getName();
      Object value = value(component, record);
      if (value instanceof Record nested && nested.getClass().getRecordComponents().length != 1) {
        flatten(name + ".", nested, fields);
      } else {
        fields.put(name, text(value));
      }
    }
  }

  private static String text(@Nullable Object value) {
    if (value == null) {
      return NULL;
    }
    if (value instanceof Record only) {
      RecordComponent[] components = only.getClass().getRecordComponents();
      if (components.length == 1) {
        return text(value(components[0], only));
      }
      throw new IllegalArgumentException("no text for a list of " + only.getClass());
    }
    if (value instanceof Collection<?> collection) {
      StringJoiner elements = new StringJoiner(",", "[", "]");
      collection.forEach(element -> elements.add(text(element)));
      return elements.toString();
    }
    if (value instanceof Enum<?> constant) {
      return constant.name();
    }
    if (value instanceof Number || value instanceof Boolean) {
      return value.toString();
    }
    if (value instanceof String string) {
      return string.isEmpty() ? EMPTY : URLEncoder.encode(string, UTF_8);
    }
    throw new IllegalArgumentException("no text for a " + value.getClass());
  }

  private static Object readComponents(Class<?> type, String prefix, Map<String, String> fields) {
    RecordComponent[] components = type.getRecordComponents();
    @Nullable Object[] values = new @Nullable Object[components.length];
    for (int i = 0; i < components.length; i++) {
      Class<?> componentType = components[i].getType();
      String name = prefix + components[i].getName();
      if (componentType.isRecord()
          && componentType.getRecordComponents().length != 1
          && !fields.containsKey(name)) {
        values[i] = readComponents(componentType, name + ".", fields);
        continue;
      }
      String text = fields.remove(name);
      if (text == null) {
        throw new IllegalArgumentException(type.getSimpleName() + " lacks " + name);
      }
      values[i] = parse(components[i].getGenericType(), name, text);
    }
    return create(type, values);
  }

  private static @Nullable Object parse(Type type, String name, String text) {
    if (text.equals(NULL)) {
      return null;
    }
    if (type instanceof ParameterizedType collection) {
      return parseCollection(collection, name, text);
    }
    Class<?> simple = (Class<?>) type;
    if (simple.isRecord()) {
      Object only = parse(simple.getRecordComponents()[0].getGenericType(), name, text);
      return create(simple, new @Nullable Object[] {only});
    }
    try {
      return parseSimple(simple, text);
    } catch (IllegalArgumentException wrong) {
      throw new IllegalArgumentException(
          name + " is no " + simple.getSimpleName() + ": " + text, wrong);
    }
  }

  private static Object parseSimple(Class<?> type, String text) {
    if (type == int.class || type == Integer.class) {
      return Integer.valueOf(text);
    } else if (type == long.class || type == Long.class) {
      return Long.valueOf(text);
    } else if (type == double.class || type == Double.class) {
      return Double.valueOf(text);
    } else if (type == boolean.class || type == Boolean.class) {
      if (!text.equals("true") && !text.equals("false")) {
        throw new IllegalArgumentException("neither true nor false");
      }
      return Boolean.valueOf(text);
    } else if (type == String.class) {
      return text.equals(EMPTY) ? "" : URLDecoder.decode(text, UTF_8);
    } else if (type.isEnum()) {
      for (Object constant : type.getEnumConstants()) {
        if (((Enum<?>) constant).name().equals(text)) {
          return constant;
        }
      }
      throw new IllegalArgumentException("unknown constant");
    }
    throw new IllegalArgumentException("no text is read as a " + type);
  }

  private static Object parseCollection(ParameterizedType type, String name, String text) {
    if (!text.startsWith("[") || !text.endsWith("]")) {
      throw new IllegalArgumentException(name + " is no list: " + text);
    }
    String inside = text.substring(1, text.length() - 1);
    List<@Nullable Object> elements = new ArrayList<>();
    for (String element : inside.isEmpty() ? new String[0] : inside.split(",", -1)) {
      elements.add(parse(type.getActualTypeArguments()[0], name, element));
    }
    Type raw = type.getRawType();
    if (raw == SortedSet.class) {
      return new TreeSet<>(elements);
    }
    if (raw == Set.class) {
      return new LinkedHashSet<>(elements);
    }
    if (raw == List.class) {
      return new ArrayList<>(elements);
    }
    throw new IllegalArgumentException("no text is read as a " + type);
  }

  static @Nullable Object value(RecordComponent component, Record record) {
    try {
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError("a component of a public record is public", impossible);
    }
  }

  private static Object create(Class<?> type, @Nullable Object[] values) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = (Class<?>[]) Array.newInstance(Class.class, components.length);
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
    }
    try {
      return type.getConstructor(types).newInstance(values);
    } catch (InvocationTargetException refused) {
      Throwable cause = refused.getTargetException();
      throw new IllegalArgumentException(type.getSimpleName() + ": " + cause.getMessage(), cause);
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError("the constructor of a public record is public", impossible);
    }
  }
}
