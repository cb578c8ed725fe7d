// What tests/runtime/java records: threads that wait in stacks of every kind, which they tell of themselves, and one that works.
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

public class Stacks {
    static volatile long sink;
    static final CountDownLatch ready = new CountDownLatch(7);

    static void park() {
        ready.countDown();
        while (true)
            LockSupport.park();
    }

    // ---- waiting -----------------------------------------------------------------------------------------------------------

    static int recursion(int depth) {
        if (depth > 0)
            return recursion(depth - 1) + 1;
        park();
        return 0;
    }

    static void inLambda() {
        Supplier<Integer> supplier = () -> {
            park();
            return 1;
        };
        supplier.get();
    }

    interface Shape {
        default void enter(long a, double b, String[] c) {
            inner(c);
        }
        void inner(String[] names);
    }

    static class Circle implements Shape {
        public void inner(String[] names) {
            park();
        }
    }

    static class Constructed {
        final int value = recursion(2);
        Constructed() {
        }
    }

    static class Initialised {
        static int value = recursion(1);
    }

    static void inReflection() throws Exception {
        Stacks.class.getDeclaredMethod("recursion", int.class).invoke(null, 3);
    }

    static void inWait() throws Exception {
        Object lock = new Object();
        synchronized (lock) {
            ready.countDown();
            while (true)
                lock.wait();
        }
    }

    // ---- working -----------------------------------------------------------------------------------------------------------

    static long burn(int n) {
        long sum = n;
        for (int i = 0; i < 20000; i++)
            sum = sum * 6364136223846793005L + small(i);
        return sum;
    }

    static long small(int i) {
        return i ^ i >>> 3;
    }

    static long nest(int depth, int n) {
        return depth == 0 ? burn(n) : nest(depth - 1, n) + 1;
    }

    static long work(int n) {
        IntUnaryOperator twice = x -> (int) nest(3, x * 2);
        return nest(1, n) + twice.applyAsInt(n);
    }

    // ---- all of it ---------------------------------------------------------------------------------------------------------

    interface Body {
        void run() throws Exception;
    }

    static Thread start(String name, List<Thread> threads, Body body) {
        Thread thread = new Thread(() -> {
            try {
                body.run();
            } catch (Exception error) {
                throw new RuntimeException(error);
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
        return thread;
    }

    static void say(List<Thread> threads, String path) throws Exception {
        try (PrintWriter out = new PrintWriter(path)) {
            for (Thread thread : threads)
                for (StackTraceElement each : thread.getStackTrace())
                    out.println(thread.getName() + "\t" + each.getClassName() + "." + each.getMethodName() + "\t" +
                                each.getFileName() + "\t" + each.getLineNumber());
        }
    }

    // So that all threads are asleep: by their states, which change when they are.
    static boolean allWait(List<Thread> threads) {
        for (Thread thread : threads)
            if (thread.getState() != Thread.State.WAITING)
                return false;
        return true;
    }

    public static void main(String[] arguments) throws Exception {
        List<Thread> threads = new ArrayList<>();
        start("recursion", threads, () -> recursion(5));
        start("lambda", threads, () -> inLambda());
        start("interface", threads, () -> new Circle().enter(1, 2, arguments));
        start("constructor", threads, () -> new Constructed());
        start("initialiser", threads, () -> sink += Initialised.value);
        start("reflection", threads, () -> inReflection());
        start("wait", threads, () -> inWait());
        ready.await();
        while (!allWait(threads))
            Thread.sleep(10);
        say(threads, arguments[0]);
        long end = Long.parseLong(arguments[1]) * 1_000_000;
        ThreadMXBean times = ManagementFactory.getThreadMXBean();
        for (int i = 0; times.getCurrentThreadCpuTime() < end; i++)
            sink += work(i);
        System.out.println("done");
        System.err.println("well");
    }
}
