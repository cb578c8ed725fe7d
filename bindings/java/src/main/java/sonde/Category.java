package sonde;

/**
 * What kind of work a marker is about; profilers colour by it.
 */
public final class Category {
    public static final Category IDLE = new Category(0);
    public static final Category OTHER = new Category(1);
    public static final Category IO = new Category(2);
    public static final Category NETWORK = new Category(3);
    public static final Category GRAPHICS = new Category(4);
    public static final Category JAVASCRIPT = new Category(5);
    public static final Category JAVA = new Category(6);
    public static final Category GC = new Category(7);
    public static final Category IPC = new Category(8);
    public static final Category BLOCKED = new Category(9);
    public static final Category TEST = new Category(10);
    public static final Category PROFILER = new Category(11);

    final int number;

    private Category(int number) {
        this.number = number;
    }

    /**
     * One of the program's own. Colours: transparent purple green orange yellow lightblue blue brown magenta red lightred
     * darkgrey grey. The same name gives the same category.
     */
    public static Category of(String name, String colour) {
        return Library.isThere() ? new Category(Library.category(Library.bytes(name), Library.bytes(colour))) : OTHER;
    }

    /** A part of this category. */
    public Category subcategory(String name) {
        return Library.isThere() ? new Category(Library.subcategory(number, Library.bytes(name))) : this;
    }
}
