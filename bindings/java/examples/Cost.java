// What calls cost, in nanoseconds, the least of five rounds: run it plainly for the cost while nothing is recorded, and under
// `sonde record`.

import sonde.Format;
import sonde.Marker;
import sonde.MarkerType;

public class Cost {
    static final MarkerType STEP = new MarkerType("Step").field("number", Format.INTEGER);
    static final int ROUNDS = Marker.isRecording() ? 50_000 : 50_000_000;
    static long sink;

    interface Call {
        void run(int rounds);
    }

    // Loops of their own: a call through the interface is not what is measured.

    static void nothing(int rounds) {
        for (int i = 0; i < rounds; i++)
            sink += i;
    }

    static void isRecording(int rounds) {
        for (int i = 0; i < rounds; i++)
            sink += Marker.isRecording() ? 1 : i;
    }

    static void marker(int rounds) {
        for (int i = 0; i < rounds; i++) {
            sink += i;
            Marker.instant("step");
        }
    }

    static void markerWithText(int rounds) {
        for (int i = 0; i < rounds; i++) {
            sink += i;
            Marker.instant("step", "a text");
        }
    }

    static void markerWithField(int rounds) {
        for (int i = 0; i < rounds; i++) {
            sink += i;
            STEP.instant("step").set("number", i).close();
        }
    }

    static void scope(int rounds) {
        for (int i = 0; i < rounds; i++) {
            try (Marker step = Marker.start("step")) {
                sink += i;
            }
        }
    }

    static void measure(String name, Call call) {
        double least = Double.POSITIVE_INFINITY;
        for (int round = 0; round < 5; round++) {
            long start = System.nanoTime();
            call.run(ROUNDS);
            least = Math.min(least, (double) (System.nanoTime() - start) / ROUNDS);
        }
        System.out.printf(java.util.Locale.ROOT, "%s\t%.2f%n", name, least);
    }

    public static void main(String[] arguments) {
        measure("nothing", Cost::nothing);
        measure("is it recording", Cost::isRecording);
        measure("marker", Cost::marker);
        measure("marker with a text", Cost::markerWithText);
        measure("marker with a field", Cost::markerWithField);
        measure("scope", Cost::scope);
    }
}
