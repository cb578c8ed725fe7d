use crate::link::api;
use crate::text::Text;

/// What kind of work a marker or label is about; profilers colour by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Category(pub(crate) u32);

impl Category {
    pub const IDLE: Category = Category(0);
    pub const OTHER: Category = Category(1);
    pub const IO: Category = Category(2);
    pub const NETWORK: Category = Category(3);
    pub const GRAPHICS: Category = Category(4);
    pub const JAVASCRIPT: Category = Category(5);
    pub const JAVA: Category = Category(6);
    pub const GC: Category = Category(7);
    pub const IPC: Category = Category(8);
    pub const BLOCKED: Category = Category(9);
    pub const TEST: Category = Category(10);
    pub const PROFILER: Category = Category(11);

    /// A category of the program's own. Colours: transparent purple green orange yellow lightblue blue brown magenta red
    /// lightred darkgrey grey. The same name gives the same category. Where the library is not loaded: `OTHER`.
    pub fn register(name: &str, colour: &str) -> Category {
        // SAFETY: both texts end with NUL and live through the call, which copies them.
        api().map_or(Category::OTHER, |api| {
            Category(unsafe { (api.category_register)(Text::of(name).as_ptr(), Text::of(colour).as_ptr()) })
        })
    }

    /// A part of this category. Where the library is not loaded: the category.
    pub fn subcategory(self, name: &str) -> Category {
        // SAFETY: as above.
        api().map_or(self, |api| Category(unsafe { (api.subcategory_register)(self.0, Text::of(name).as_ptr()) }))
    }
}
