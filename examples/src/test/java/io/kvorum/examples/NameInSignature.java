package io.kvorum.examples;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Reports each type of a forbidden kind that a caller of a class gets to see: in its super types
 * and type parameters, and in what its public and protected members take, give, throw, or are.
 */
final class NameInSignature extends ArchCondition<JavaClass> {
  private final DescribedPredicate<? super JavaClass> forbidden;

  NameInSignature(DescribedPredicate<? super JavaClass> forbidden) {
    super("not name in a signature a type that should " + forbidden.getDescription());
    this.forbidden = forbidden;
  }

  @Override
  public void check(JavaClass type, ConditionEvents events) {
    Stream<JavaType> ofType =
        Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream());
    report(type, "Class <" + type.getName() + ">", ofType, events);
    for (JavaMember member : type.getMembers()) {
      if (isVisible(member)) {
        report(type, "Member <" + member.getFullName() + ">", typesOf(member), events);
      }
    }
  }

  private static boolean isVisible(JavaMember member) {
    Set<JavaModifier> modifiers = member.getModifiers();
    return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
  }

  private static Stream<JavaType> typesOf(JavaMember member) {
    if (member instanceof JavaField field) {
      return Stream.of(field.getType());
    }
    JavaCodeUnit code = (JavaCodeUnit) member;
    List<JavaType> thrown = List.copyOf(code.getExceptionTypes());
    return Stream.of(List.of(code.getReturnType()), code.getParameterTypes(), thrown)
        .flatMap(Collection::stream);
  }

  private void report(JavaClass type, String where, Stream<JavaType> seen, ConditionEvents events) {
    Set<JavaClass> named = new LinkedHashSet<>();
    seen.forEach(each -> named.addAll(each.getAllInvolvedRawTypes()));
    for (JavaClass each : named) {
      if (forbidden.test(each.getBaseComponentType())) {
        events.add(SimpleConditionEvent.violated(type, where + " names <" + each.getName() + ">"));
      }
    }
  }
}
