// A program that says what it does.
//
//     javac -d classes $(find bindings/java -name '*.java')
//     sonde record java -cp classes Requests

import sonde.Category;
import sonde.Counter;
import sonde.Format;
import sonde.Marker;
import sonde.MarkerType;
import sonde.Names;

public class Requests {
    static final Category CACHE = Category.of("Cache", "orange");
    static final Counter QUEUE = new Counter("Queue length", "Queue", "Requests that wait");
    static final MarkerType REQUEST = new MarkerType("HTTP request")
                                          .field("url", Format.URL)
                                          .field("status", Format.INTEGER)
                                          .field("size", Format.BYTES)
                                          .field("hit rate", Format.PERCENTAGE)
                                          .tableLabel("{marker.data.status} {marker.data.url}");
    static volatile long sink;

    static void compute(int rounds) {
        for (int i = 0; i < rounds * 100_000; i++)
            sink += i * i;
    }

    static void parse() {
        try (Marker parsing = Marker.start("parse")) {
            compute(5);
        }
    }

    static void answer(int number) {
        try (Marker request = REQUEST.start("GET", Category.NETWORK).set("url", "https://example.org/item/" + number)) {
            if (number % 4 == 0)
                Marker.instant("cache miss", "item " + number, CACHE);
            parse();
            request.set("status", number % 7 == 0 ? 404 : 200).set("size", number * 100).set("hit rate", 0.75);
        }
    }

    static void clean() {
        Names.setThread("cleaner");
        REQUEST.instant("cleaned").withStack().close();
    }

    static void fail() {
        try (Marker doomed = Marker.start("doomed")) {
            throw new IllegalStateException("an exception ends an interval");
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        int requests = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20;
        try (Marker loading = Marker.start("load", "config.toml")) {
            compute(20);
        }
        for (int number = requests; number > 0; number--) {
            QUEUE.set(number);
            answer(number);
        }
        QUEUE.add(-1);
        Thread thread = new Thread(Requests::clean);
        thread.start();
        thread.join();
        long start = Marker.now();
        try {
            fail();
        } catch (IllegalStateException expected) {
            // as it says
        }
        Marker.interval(start, 0, "all of it", "with a text", Category.IO);
    }
}
