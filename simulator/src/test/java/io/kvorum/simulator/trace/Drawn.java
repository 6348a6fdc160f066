package io.kvorum.simulator.trace;

import io.kvorum.api.Bytes;
import io.kvorum.api.Compare;
import io.kvorum.api.KeyRange;
import io.kvorum.api.Op;
import io.kvorum.api.Txn;
import io.kvorum.raft.Membership;
import io.kvorum.raft.NodeId;
import java.lang.reflect.Constructor;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeSet;

/** Records of any type with chance in every component, and such as differ in one place only. */
final class Drawn {
  private final SplittableRandom random;

  Drawn(long seed) {
    this.random = new SplittableRandom(seed);
  }

  /** Every record type below a sealed interface. */
  static List<Class<?>> kinds(Class<?> sealed) {
    List<Class<?>> kinds = new ArrayList<>();
    for (Class<?> kind : sealed.getPermittedSubclasses()) {
      if (kind.isRecord()) {
        kinds.add(kind);
      } else {
        kinds.addAll(kinds(kind));
      }
    }
    return kinds;
  }

  /** A value of the type; lists have one element. */
  Object value(Type type) {
    if (type instanceof ParameterizedType collection) {
      List<Object> elements = List.of(value(collection.getActualTypeArguments()[0]));
      return collection.getRawType() == List.class ? elements : new TreeSet<>(elements);
    }
    Class<?> simple = (Class<?>) type;
    if (simple == int.class) {
      return random.nextInt(1, 1 << 20);
    } else if (simple == long.class) {
      return random.nextLong(1, 1L << 40);
    } else if (simple == boolean.class || simple == Boolean.class) {
      return random.nextBoolean();
    } else if (simple == double.class) {
      return (double) random.nextInt(1, 100);
    } else if (simple == String.class) {
      return Long.toString(random.nextLong(), 36);
    } else if (simple == NodeId.class) {
      return new NodeId("n" + random.nextInt(1 << 20));
    } else if (simple == Membership.class) {
      return Membership.of(List.of(new NodeId("n" + random.nextInt(1 << 20))));
    } else if (simple == byte[].class) {
      return bytes();
    } else if (simple == Bytes.class) {
      return Bytes.wrapUnsafe(bytes());
    } else if (simple == KeyRange.class) {
      return KeyRange.prefix(Bytes.wrapUnsafe(bytes()));
    } else if (simple == Txn.class) {
      Bytes key = Bytes.wrapUnsafe(bytes());
      return Txn.when(Compare.modRevision(key).isEqualTo(random.nextInt(1 << 20)))
          .then(Op.put(key, Bytes.wrapUnsafe(bytes())))
          .otherwise(Op.get(key), Op.delete(key));
    } else if (simple.isEnum()) {
      return simple.getEnumConstants()[random.nextInt(simple.getEnumConstants().length)];
    } else if (simple.isInterface()) {
      List<Class<?>> kinds = kinds(simple);
      return record(kinds.get(random.nextInt(kinds.size())));
    }
    return record(simple);
  }

  private byte[] bytes() {
    byte[] bytes = new byte[6];
    random.nextBytes(bytes);
    return bytes;
  }

  Object record(Class<?> type) {
    List<Object> values = new ArrayList<>();
    for (RecordComponent component : type.getRecordComponents()) {
      values.add(value(component.getGenericType()));
    }
    return create(type, values.toArray());
  }

  /** Records like this one but for one place, for each place there is. */
  List<Object> othersThan(Object record) {
    List<Object> others = new ArrayList<>();
    RecordComponent[] components = record.getClass().getRecordComponents();
    for (int i = 0; i < components.length; i++) {
      Object[] values = values(record);
      for (Object other : otherValues(components[i].getGenericType(), values[i])) {
        Object[] changed = values.clone();
        changed[i] = other;
        others.add(create(record.getClass(), changed));
      }
    }
    return others;
  }

  private List<Object> otherValues(Type type, Object value) {
    List<Object> others = new ArrayList<>();
    if (value instanceof SortedSet<?>) {
      others.add(value(type));
    } else if (value instanceof List<?> list && type instanceof ParameterizedType parameters) {
      Type element = parameters.getActualTypeArguments()[0];
      otherValues(element, list.get(0)).forEach(other -> others.add(List.of(other)));
      others.add(List.of());
      others.add(List.of(list.get(0), list.get(0)));
    } else if (value.getClass().isRecord()
        && value.getClass() != NodeId.class
        && value.getClass() != Membership.class
        && value.getClass() != KeyRange.class
        && value.getClass() != Txn.class) {
      others.addAll(othersThan(value));
    } else {
      Object other = value(type);
      while (isEqual(other, value)) {
        other = value(type);
      }
      others.add(other);
    }
    return others;
  }

  private static boolean isEqual(Object one, Object other) {
    if (one instanceof byte[] bytes && other instanceof byte[] others) {
      return Arrays.equals(bytes, others);
    }
    return one.equals(other);
  }

  private static Object[] values(Object record) {
    return Arrays.stream(record.getClass().getRecordComponents())
        .map(
            component -> {
              try {
                return component.getAccessor().invoke(record);
              } catch (ReflectiveOperationException impossible) {
                throw new LinkageError("a component cannot be read", impossible);
              }
            })
        .toArray();
  }

  private static Object create(Class<?> type, Object[] values) {
    Class<?>[] types =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    try {
      Constructor<?> constructor = type.getConstructor(types);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException impossible) {
      throw new LinkageError("cannot make a " + type, impossible);
    }
  }
}
