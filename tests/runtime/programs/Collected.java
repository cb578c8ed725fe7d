// What tests/runtime/java records with each collector: two threads allocate, keep and drop objects of many kinds in a small heap, so that
// the collector moves everything again and again. The argument is the CPU time of each, in milliseconds.
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

public class Collected {
    static final Object[] kept = new Object[20_000];
    static volatile long sink;

    static class Node {
        final Node left, right;
        final int value;

        Node(int depth) {
            value = depth;
            left = depth > 0 ? new Node(depth - 1) : null;
            right = depth > 0 ? new Node(depth - 1) : null;
        }

        int sum() {
            return value + (left == null ? 0 : left.sum() + right.sum());
        }
    }

    static Object make(int number, Random random) {
        switch (number & 3) {
        case 0:
            return new byte[random.nextInt(3000)];
        case 1:
            return "text " + number;
        case 2:
            return List.of(number, number + 1);
        default:
            Map<Integer, String> map = new HashMap<>();
            for (int i = 0; i < 8; i++)
                map.put(i * number, "value " + i);
            return map;
        }
    }

    static void work(long end, int seed) {
        ThreadMXBean times = ManagementFactory.getThreadMXBean();
        Random random = new Random(seed);
        while (times.getCurrentThreadCpuTime() < end) {
            for (int i = 0; i < 2000; i++) {
                int number = random.nextInt(kept.length);
                kept[number] = make(number, random);
            }
            sink += new Node(13).sum();
        }
    }

    public static void main(String[] arguments) throws Exception {
        long end = Long.parseLong(arguments[0]) * 1_000_000;
        Thread[] threads = new Thread[2];
        for (int i = 0; i < threads.length; i++) {
            int seed = i;
            threads[i] = new Thread(() -> work(end, seed), "mutator " + i);
            threads[i].start();
        }
        for (Thread thread : threads)
            thread.join();
        System.out.println("done");
    }
}
