package sonde;

import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What the library offers, where `sonde record` has loaded it into the process. It registers the native methods of this class
 * when it is asked for the free space of a path that cannot exist: where it is not there, that is all that happens. Nothing is
 * loaded, so nothing is printed, whatever the version of Java.
 */
final class Library {
    private static final String QUESTION = "/dev/null/sonde.Library/1";
    private static final long ANSWER = 0x536f6e6465L;

    private static final long ACTIVE = 1L << 63;
    private static final long PAUSED = 1L << 62;

    static final int INSTANT = 0;
    static final int INTERVAL = 1;

    // The library's own marker types.
    static final long TEXT = 0;
    static final long TEXT_STACK = 1;
    static final long STACK = 2;

    /** null: it is not there. Then the compiler knows that nothing is recorded. */
    private static final LongBuffer STATE = find();

    private Library() {
    }

    private static LongBuffer find() {
        try {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            // By it the library finds this class.
            thread.setContextClassLoader(Library.class.getClassLoader());
            try {
                if (new File(QUESTION).getFreeSpace() == ANSWER)
                    return state().asReadOnlyBuffer().order(ByteOrder.nativeOrder()).asLongBuffer();
            } finally {
                thread.setContextClassLoader(before);
            }
        } catch (SecurityException | LinkageError notAllowed) {
            // As if it was not there.
        }
        return null;
    }

    static boolean isThere() {
        return STATE != null;
    }

    static boolean isRecording() {
        return STATE != null && (STATE.get(0) & (ACTIVE | PAUSED)) == ACTIVE;
    }

    /** What stands behind a NUL is lost. Never throws: a program must not fail for being recorded. */
    static byte[] bytes(Object text) {
        try {
            return text == null ? null : text.toString().getBytes(StandardCharsets.UTF_8);
        } catch (RuntimeException failed) {
            return new byte[0];
        }
    }

    // Texts are UTF-8; null = none.

    private static native ByteBuffer state();

    static native long now();

    /** Of one of the types above, or of type(): then `values` has 8 bytes for each field; of texts where in it they begin. */
    static native void marker(long type, byte[] name, int category, int phase, long start, long end, boolean stack,
                              byte[] values);

    static native int category(byte[] name, byte[] colour);

    static native int subcategory(int category, byte[] name);

    /** `fields`: key, format, and the number of the kind of value, for each field. */
    static native long type(byte[] name, byte[] tableLabel, byte[] chartLabel, Object[] fields, int[] inputs);

    /** The counter's cell {count, number of changes}; null: there is no room for one more. */
    static native ByteBuffer counter(byte[] name, byte[] category, byte[] description);

    static native void bandwidth(long bytes);

    static native void threadName(byte[] name);

    static native void processName(byte[] name);
}
