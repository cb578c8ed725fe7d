package sonde;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Tells the profiler Sonde what a Java program does.
 *
 * <pre>
 * Marker.instant("cache miss", "key " + key);              // a moment
 *
 * try (Marker loading = Marker.start("load", path)) {      // an interval; it ends with the block, also by an exception
 *     …
 * }
 * </pre>
 *
 * Nothing needs to be configured: `sonde record java …` loads the library, and this class finds it. Without it nothing is
 * recorded, and calls are compiled to nothing. Markers with fields are made by a {@link MarkerType}.
 *
 * A marker belongs to one thread at a time.
 */
public final class Marker implements AutoCloseable {
    /** What is returned while nothing is recorded. */
    static final Marker NOTHING = new Marker(null, null, null, null, Library.INSTANT, 0);

    private final String name;
    private final Object text;
    private final Category category;
    private final MarkerType type; // null: it has a text at most
    private final int phase;
    private final long start;
    private Object[] values; // of its fields; null: none was set
    private boolean stack;
    private boolean isOpen;

    Marker(String name, Object text, Category category, MarkerType type, int phase, long start) {
        this.name = name;
        this.text = text;
        this.category = category;
        this.type = type;
        this.phase = phase;
        this.start = start;
        this.isOpen = category != null;
    }

    /** Whether markers are being recorded, for work that is done only for them. */
    public static boolean isRecording() {
        return Library.isRecording();
    }

    /** Nanoseconds since the start of the process, the clock of markers; 0 where the library is not there. */
    public static long now() {
        return Library.isThere() ? Library.now() : 0;
    }

    /** A moment. */
    public static void instant(String name) {
        instant(name, null, Category.OTHER);
    }

    /** With a text: its toString(), which is asked for only if it is recorded. */
    public static void instant(String name, Object text) {
        instant(name, text, Category.OTHER);
    }

    public static void instant(String name, Object text, Category category) {
        if (Library.isRecording())
            add(name, text, category, Library.INSTANT, 0, 0);
    }

    /** An interval, which close() ends: for `try (Marker m = Marker.start(…))`. */
    public static Marker start(String name) {
        return start(name, null, Category.OTHER);
    }

    public static Marker start(String name, Object text) {
        return start(name, text, Category.OTHER);
    }

    public static Marker start(String name, Object text, Category category) {
        if (!Library.isRecording())
            return NOTHING;
        return new Marker(name, text, orOther(category), null, Library.INTERVAL, Library.now());
    }

    /** What began at `start` and ends at `end`, both by now(); end 0 = now. */
    public static void interval(long start, long end, String name, Object text, Category category) {
        if (Library.isRecording())
            add(name, text, category, Library.INTERVAL, start, end);
    }

    /** Sets a field. One that the type has not, or whose format is of another kind, is left as it is. */
    public Marker set(String field, String value) {
        return put(field, value);
    }

    public Marker set(String field, long value) {
        return isOpen ? put(field, value) : this;
    }

    public Marker set(String field, double value) {
        return isOpen ? put(field, value) : this;
    }

    /** With the stack that leads to close(). */
    public Marker withStack() {
        if (isOpen)
            stack = true;
        return this;
    }

    /** Ends an interval, and adds the marker. Once: the second call does nothing. */
    @Override
    public void close() {
        if (!isOpen)
            return;
        isOpen = false;
        if (!Library.isRecording())
            return;
        long number = type != null ? type.number() : 0;
        if (number != 0)
            Library.marker(number, Library.bytes(name), category.number, phase, start, 0, stack, packed());
        else
            Library.marker(text == null ? Library.STACK : Library.TEXT_STACK, Library.bytes(name), category.number, phase, start,
                           0, stack, Library.bytes(text));
    }

    static Category orOther(Category category) {
        return category != null ? category : Category.OTHER;
    }

    private static void add(String name, Object text, Category category, int phase, long start, long end) {
        int number = orOther(category).number;
        Library.marker(Library.TEXT, Library.bytes(name), number, phase, start, end, false, Library.bytes(text));
    }

    private Marker put(String field, Object value) {
        if (!isOpen || type == null)
            return this;
        type.number(); // no field is added from now on
        int at = type.find(field);
        if (at < 0)
            return this;
        if (values == null)
            values = new Object[type.size()];
        values[at] = value;
        return this;
    }

    /** 8 bytes for each field; texts follow, each with a NUL behind it. */
    private byte[] packed() {
        int count = type.size();
        int length = 8 * count;
        byte[][] texts = new byte[count][];
        for (int i = 0; i < count && values != null; i++) {
            if (type.input(i) == Format.Input.TEXT && values[i] instanceof String) {
                texts[i] = Library.bytes(values[i]);
                length += texts[i].length + 1;
            }
        }
        ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.nativeOrder());
        int end = 8 * count;
        for (int i = 0; i < count; i++) {
            if (texts[i] != null) {
                bytes.putLong(8 * i, end);
                for (byte each : texts[i])
                    bytes.put(end++, each);
                end++;
            } else if (values != null && values[i] instanceof Number) {
                bytes.putLong(8 * i, bits(type.input(i), (Number) values[i]));
            }
        }
        return bytes.array();
    }

    private static long bits(Format.Input input, Number value) {
        switch (input) {
        case TEXT:
            return 0;
        case DOUBLE:
            return Double.doubleToRawLongBits(value.doubleValue());
        case SIGNED:
            return value.longValue();
        default:
            return Math.max(value.longValue(), 0);
        }
    }
}
