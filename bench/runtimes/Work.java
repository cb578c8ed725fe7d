// Sorts, builds and reads text, fills maps, multiplies, packs and calls itself, for the functions that bench/runtimes.ts and
// tests/runtime/java compare.

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.Deflater;

public class Work {
    static long sink;

    static void sortNumbers() {
        Integer[] numbers = new Integer[40000];
        for (int i = 0; i < numbers.length; i++)
            numbers[i] = (int) (i * 7919L % 100003);
        Arrays.sort(numbers, Comparator.reverseOrder());
        sink += numbers[7];
    }

    static String makeText() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20000; i++)
            text.append("{\"number\": ").append(i).append(", \"square\": ").append((long) i * i).append("}\n");
        return text.toString();
    }

    static void readText(String text) {
        Map<String, Integer> lengths = new HashMap<>();
        for (String line : text.split("\n"))
            lengths.merge(line.substring(0, 14), line.length(), Integer::sum);
        sink += lengths.size();
    }

    static void group() {
        Map<Integer, List<String>> groups = IntStream.range(0, 20000).mapToObj(i -> "n" + i).collect(Collectors.groupingBy(Work::key));
        sink += groups.size();
    }

    static int key(String text) {
        return text.hashCode() % 100;
    }

    static void pack(String text) {
        byte[] from = text.substring(0, text.length() / 6).getBytes(), to = new byte[from.length];
        Deflater deflater = new Deflater();
        deflater.setInput(from);
        deflater.finish();
        sink += deflater.deflate(to);
        deflater.end();
    }

    static void multiply() {
        int n = 140;
        double[][] a = new double[n][n], product = new double[n][n];
        for (double[] row : a)
            Arrays.fill(row, 1.5);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                product[i][j] = dot(a, i, j);
        sink += (long) product[3][4];
    }

    static double dot(double[][] a, int i, int j) {
        double sum = 0;
        for (int k = 0; k < a.length; k++)
            sum += a[i][k] * a[k][j];
        return sum;
    }

    static int fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    interface Shape {
        double area();
    }

    static void shapes() {
        List<Shape> shapes = new ArrayList<>();
        for (int i = 0; i < 30000; i++) {
            double side = i;
            switch (i % 3) {
            case 0:
                shapes.add(() -> side * side);
                break;
            case 1:
                shapes.add(() -> side * side * Math.PI);
                break;
            default:
                shapes.add(new Shape() {
                    public double area() {
                        return Math.sqrt(side);
                    }
                });
            }
        }
        for (Shape shape : shapes)
            sink += (long) shape.area();
    }

    static void fail(int depth) {
        if (depth == 0)
            throw new IllegalStateException("as meant");
        fail(depth - 1);
    }

    static void exceptions() {
        for (int i = 0; i < 300; i++) {
            try {
                fail(10);
            } catch (IllegalStateException error) {
                sink += error.getStackTrace().length;
            }
        }
    }

    public static void main(String[] arguments) {
        int rounds = Integer.parseInt(arguments[0]);
        for (int i = 0; i < rounds; i++) {
            sortNumbers();
            String text = makeText();
            readText(text);
            group();
            pack(text);
            multiply();
            fibonacci(25);
            shapes();
            exceptions();
        }
        System.out.println(sink);
    }
}
