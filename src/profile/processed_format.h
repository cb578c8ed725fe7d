/* The versions of the processed format, and what each of them changed.
 *
 * The importer reads all of them, the exporter writes some; both ask here, so that the differences are in one place:
 * `version < PROCESSED_SHARED_STRINGS` reads as "from before strings were shared". Which columns a table has in which version
 * is said where the table is read, with the same names. */
#ifndef SONDE_PROFILE_PROCESSED_FORMAT_H
#define SONDE_PROFILE_PROCESSED_FORMAT_H

enum processed_version {
    PROCESSED_OLDEST = 50, /* times may be deltas */

    PROCESSED_TRACING_SCHEMA = 52,    /* schemas are found by the type of the payload only, so "tracing" needs one */
    PROCESSED_FRAME_CATEGORIES = 53,  /* categories are on frames, not on stacks */
    PROCESSED_NO_IMPLEMENTATION = 54, /* how a script ran is a subcategory of JavaScript, not a column of frames */
    PROCESSED_SCHEMA_FIELDS = 55,     /* schemas have `fields` and `description`, not both of them mixed in `data` */
    PROCESSED_SHARED_STRINGS = 56,    /* one string array for all threads */
    PROCESSED_NO_SEARCHABLE = 57,     /* all fields of schemas can be searched, none says so */
    PROCESSED_SOURCES = 58,           /* funcs have a source instead of a file name */
    PROCESSED_USED_WINDOWS = 59,      /* threads list the windows they ran code of */
    PROCESSED_SHARED_TABLES = 60,     /* stacks, frames, funcs, resources and native symbols are shared by all threads */
    PROCESSED_SOURCE_IDS = 61,        /* sources have an id (once `uuid`), a start and a source map */
    PROCESSED_COUNTER_DISPLAY = 62,   /* counters say how they are drawn; only their colour was there before */
    PROCESSED_COUNTER_TOOLTIPS = 63,  /* … and what their tooltips say */
    PROCESSED_LOCATIONS = 64,         /* original locations of frames and funcs, contents of sources */
    PROCESSED_PREFIX_OFFSET = 66,     /* stacks say how far up their parent stands, not its row */
    PROCESSED_TIMELINE_NETWORK = 69,  /* the place "timeline-network" for markers */
    PROCESSED_FRAME_LIB = 70,         /* libraries are on frames, not on resources */
    PROCESSED_FRAME_FLAGS = 71,       /* flags of frames say which cells count; the others are 0 instead of null */
    PROCESSED_PRIVATE_FIELDS = 72,    /* fields of schemas say what they give away; markers of extensions got a type */
    PROCESSED_FILE_IO_LABEL = 73,     /* file I/O markers have a label in their schema */
    PROCESSED_SYMBOL_SIZE = 74,       /* unknown sizes of native symbols are -1 */
    PROCESSED_FUNC_FLAGS = 75,        /* flags of funcs say which cells count */

    PROCESSED_NEWEST = 75,
    PROCESSED_ALL = 1000, /* after every version */
};

/* `flags` of frames */
enum processed_frame_flags {
    PROCESSED_FRAME_INLINED = 1,
    PROCESSED_FRAME_HAS_ADDRESS = 2, /* and library */
    PROCESSED_FRAME_HAS_CATEGORY = 4,
    PROCESSED_FRAME_HAS_SYMBOL = 8,
    PROCESSED_FRAME_HAS_LINE = 16,
    PROCESSED_FRAME_HAS_COLUMN = 32,
    PROCESSED_FRAME_HAS_LOCATION = 64,
};

/* `flags` of funcs */
enum processed_func_flags {
    PROCESSED_FUNC_IS_JS = 1,
    PROCESSED_FUNC_RELEVANT_FOR_JS = 2,
    PROCESSED_FUNC_HAS_RESOURCE = 4,
    PROCESSED_FUNC_HAS_SOURCE = 8,
    PROCESSED_FUNC_HAS_LINE = 16,
    PROCESSED_FUNC_HAS_COLUMN = 32,
    PROCESSED_FUNC_HAS_LOCATION = 64,
};

#endif
