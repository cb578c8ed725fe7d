package sonde;

import java.util.ArrayList;
import java.util.List;

/**
 * Markers with fields, the same for all of a type:
 *
 * <pre>
 * static final MarkerType REQUEST = new MarkerType("HTTP request").field("url", Format.URL).field("status", Format.INTEGER);
 *
 * try (Marker request = REQUEST.start("GET", Category.NETWORK).set("url", url)) {
 *     …
 *     request.set("status", 200);
 * }
 * </pre>
 *
 * The name is unique in the program. The type is finished with its first marker: it has the fields that it has then.
 */
public final class MarkerType {
    private static final int FIELDS_MAX = 32;

    private final String name;
    private String tableLabel;
    private String chartLabel;
    private final List<String> keys = new ArrayList<>();
    private final List<Format> formats = new ArrayList<>();
    private volatile long number; // the library's; 0 = not finished, or without fields
    private boolean isFinished;

    public MarkerType(String name) {
        this.name = name;
    }

    /** One more field. */
    public synchronized MarkerType field(String key, Format format) {
        if (keys.size() == FIELDS_MAX)
            throw new IllegalArgumentException("a marker type has at most " + FIELDS_MAX + " fields");
        if (key == null || format == null)
            throw new NullPointerException("a field has a key and a format");
        if (!isFinished) {
            keys.add(key);
            formats.add(format);
        }
        return this;
    }

    /** How it is shown in the table; may hold {marker.name}, {marker.data.url} and so on. */
    public synchronized MarkerType tableLabel(String label) {
        tableLabel = label;
        return this;
    }

    /** How it is shown in the chart. */
    public synchronized MarkerType chartLabel(String label) {
        chartLabel = label;
        return this;
    }

    /** An interval, which close() ends. */
    public Marker start(String name) {
        return start(name, Category.OTHER);
    }

    public Marker start(String name, Category category) {
        return make(name, category, Library.INTERVAL, Marker.now());
    }

    /** What began at a time of Marker.now(); it ends with close(). */
    public Marker since(long start, String name, Category category) {
        return make(name, category, Library.INTERVAL, start);
    }

    /** The moment at which it is closed. */
    public Marker instant(String name) {
        return instant(name, Category.OTHER);
    }

    public Marker instant(String name, Category category) {
        return make(name, category, Library.INSTANT, 0);
    }

    private Marker make(String name, Category category, int phase, long start) {
        if (!Library.isRecording())
            return Marker.NOTHING;
        return new Marker(name, null, Marker.orOther(category), this, phase, start);
    }

    private synchronized long finish() {
        if (isFinished || keys.isEmpty())
            return number;
        isFinished = true;
        Object[] fields = new Object[2 * keys.size()];
        int[] inputs = new int[keys.size()];
        for (int i = 0; i < inputs.length; i++) {
            fields[2 * i] = Library.bytes(keys.get(i));
            fields[2 * i + 1] = Library.bytes(formats.get(i).key);
            inputs[i] = formats.get(i).input.ordinal();
        }
        number = Library.type(Library.bytes(name), Library.bytes(tableLabel), Library.bytes(chartLabel), fields, inputs);
        return number;
    }

    /** 0: it is a marker like those without a type. */
    long number() {
        long finished = number;
        return finished != 0 ? finished : finish();
    }

    /** -1: there is no such field. */
    int find(String key) {
        return keys.indexOf(key);
    }

    int size() {
        return keys.size();
    }

    Format.Input input(int field) {
        return formats.get(field).input;
    }
}
