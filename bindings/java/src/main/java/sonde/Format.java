package sonde;

/**
 * How profilers show the value of a field.
 */
public enum Format {
    URL("url", Input.TEXT),
    FILE_PATH("file-path", Input.TEXT),
    /** Left out where profiles are made anonymous. */
    SANITIZED_STRING("sanitized-string", Input.TEXT),
    STRING("string", Input.TEXT),
    /** One that comes often. */
    UNIQUE_STRING("unique-string", Input.TEXT),
    /** By Marker.now(). */
    TIME("time", Input.TIME),
    /** Of these five values are given in nanoseconds. */
    DURATION("duration", Input.NS_AS_MS),
    SECONDS("seconds", Input.NS_AS_MS),
    MILLISECONDS("milliseconds", Input.NS_AS_MS),
    MICROSECONDS("microseconds", Input.NS_AS_US),
    NANOSECONDS("nanoseconds", Input.UNSIGNED),
    BYTES("bytes", Input.UNSIGNED),
    /** 0 to 1. */
    PERCENTAGE("percentage", Input.DOUBLE),
    INTEGER("integer", Input.SIGNED),
    DECIMAL("decimal", Input.DOUBLE),
    HEXADECIMAL("hexadecimal", Input.UNSIGNED),
    FLOW_ID("flow-id", Input.FLOW),
    TERMINATING_FLOW_ID("terminating-flow-id", Input.FLOW);

    /** As the library numbers them. */
    enum Input { TEXT, SIGNED, UNSIGNED, DOUBLE, BOOLEAN, TIME, FLOW, NS_AS_MS, NS_AS_US }

    final String key;
    final Input input;

    Format(String key, Input input) {
        this.key = key;
        this.input = input;
    }
}
