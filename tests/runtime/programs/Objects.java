// What tests/runtime/java_objects records: two threads allocate, and tell how much, as the VM itself counts it.
import java.lang.management.ManagementFactory;

public class Objects {
    static volatile Object last;

    static class Point {
        long x, y;
    }

    static void points(int count) {
        for (int i = 0; i < count; i++)
            last = new Point();
    }

    static void arrays(int count) {
        for (int i = 0; i < count; i++)
            last = new int[i % 300];
    }

    static void large(int count) {
        for (int i = 0; i < count; i++)
            last = new byte[3 << 20];
    }

    static Thread start(String name, Runnable body) {
        Thread thread = new Thread(() -> {
            com.sun.management.ThreadMXBean times = (com.sun.management.ThreadMXBean)ManagementFactory.getThreadMXBean();
            long before = times.getThreadAllocatedBytes(Thread.currentThread().getId());
            body.run();
            long after = times.getThreadAllocatedBytes(Thread.currentThread().getId());
            synchronized (Objects.class) {
                System.out.println(name + " " + (after - before));
            }
        }, name);
        thread.start();
        return thread;
    }

    public static void main(String[] arguments) throws Exception {
        Thread small = start("small", () -> {
            points(10_000_000);
            arrays(400_000);
        });
        Thread big = start("big", () -> large(20));
        small.join();
        big.join();
    }
}
