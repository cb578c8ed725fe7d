package sonde;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * How much of something there is, over time. It counts whether or not there is a recording.
 */
public final class Counter {
    private static final int COUNT = 0;
    private static final int CHANGES = 8;

    private final ByteBuffer cell; // null: it is not shown

    public Counter(String name, String category, String description) {
        ByteBuffer found = null;
        if (Library.isThere())
            found = Library.counter(Library.bytes(name), Library.bytes(category), Library.bytes(description));
        cell = found != null ? found.order(ByteOrder.nativeOrder()) : null;
    }

    public void add(long amount) {
        if (cell != null)
            change(true, amount);
    }

    public void set(long value) {
        if (cell != null)
            change(false, value);
    }

    private synchronized void change(boolean isStep, long amount) {
        cell.putLong(COUNT, isStep ? cell.getLong(COUNT) + amount : amount);
        cell.putLong(CHANGES, cell.getLong(CHANGES) + 1);
    }

    /** Bytes sent or received over a network, on the counter that profilers show as bandwidth. */
    public static void addBandwidth(long bytes) {
        if (Library.isRecording())
            Library.bandwidth(bytes);
    }
}
