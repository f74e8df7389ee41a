import java.io.EOFException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads objects from standard input until it ends, writes each again to standard output, and describes each in one line
 * on standard error. With the argument "reset" it resets its stream before each object.
 */
public class StreamPeer {
    public static void main(String[] arguments) throws Exception {
        boolean resets = arguments.length > 0 && arguments[0].equals("reset");
        ObjectOutputStream output = new ObjectOutputStream(System.out);
        output.flush();
        ObjectInputStream input = new ObjectInputStream(System.in);
        PrintStream descriptions = new PrintStream(System.err, true, "UTF-8");
        while (true) {
            Object message;
            try {
                message = input.readObject();
            } catch (EOFException end) {
                break;
            }
            if (resets) {
                output.reset();
            }
            output.writeObject(message);
            descriptions.println(describe(message));
        }
        output.flush();
    }

    static String describe(Object value) throws IllegalAccessException {
        if (value == null) {
            return "null";
        }
        if (value instanceof String text) {
            return '"' + text + '"';
        }
        if (value instanceof Enum<?> constant) {
            return constant.getDeclaringClass().getName() + "." + constant.name();
        }
        if (value instanceof Boolean || value instanceof Number) {
            return value.getClass().getSimpleName() + ":" + value;
        }
        if (value.getClass().isArray()) {
            List<Object> items = new ArrayList<>();
            for (int index = 0; index < Array.getLength(value); index++) {
                items.add(Array.get(value, index));
            }
            return value.getClass().getName() + describeAll(items);
        }
        if (value instanceof ArrayList<?> list) {
            return describeAll(list);
        }
        if (value instanceof Map<?, ?> map) {
            TreeMap<String, Object> sorted = new TreeMap<>();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                sorted.put(describe(entry.getKey()), entry.getValue());
            }
            return describeEntries(sorted);
        }
        return describeObject(value);
    }

    static String describeAll(List<?> values) throws IllegalAccessException {
        List<String> parts = new ArrayList<>();
        for (Object value : values) {
            parts.add(describe(value));
        }
        return "[" + String.join(", ", parts) + "]";
    }

    static String describeEntries(TreeMap<String, Object> entries) throws IllegalAccessException {
        List<String> parts = new ArrayList<>();
        for (Map.Entry<String, Object> entry : entries.entrySet()) {
            parts.add(entry.getKey() + "=" + describe(entry.getValue()));
        }
        return "{" + String.join(", ", parts) + "}";
    }

    static String describeObject(Object value) throws IllegalAccessException {
        TreeMap<String, Object> fields = new TreeMap<>();
        for (Class<?> type = value.getClass(); type != Object.class && type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    field.setAccessible(true);
                    fields.put(field.getName(), field.get(value));
                }
            }
        }
        return value.getClass().getName() + describeEntries(fields);
    }
}
