// What tests/runtime/java_harmless records: says who it is, works for a while or until it is told to stop, and ends as it is asked to.
public class Ends {
    static volatile long sink;

    static long step(long sum) {
        for (int i = 0; i < 10000; i++)
            sum = sum * 31 + (i ^ sum >>> 5);
        return sum;
    }

    static void work(String until) {
        long end = System.nanoTime() + 300_000_000L;
        while (until.equals("for ever") || System.nanoTime() < end)
            sink = step(sink);
    }

    public static void main(String[] arguments) throws Exception {
        String end = arguments[0];
        System.out.println("pid " + ProcessHandle.current().pid());
        System.out.flush();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook")));
        work(end);
        switch (end) {
        case "exit":
            System.exit(7);
            break;
        case "exception":
            throw new IllegalStateException("as meant");
        case "halt":
            Runtime.getRuntime().halt(9);
            break;
        default:
            break;
        }
        System.out.println("end");
    }
}
