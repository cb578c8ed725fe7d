package sonde;

/**
 * As what threads and processes appear in profiles.
 */
public final class Names {
    private Names() {
    }

    /** Of the calling thread. */
    public static void setThread(String name) {
        if (Library.isThere())
            Library.threadName(Library.bytes(name));
    }

    public static void setProcess(String name) {
        if (Library.isThere())
            Library.processName(Library.bytes(name));
    }
}
