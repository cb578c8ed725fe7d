/* What a recorder has to say about a session as a whole, for those who read it: a text file in the folder, a line for each
 * note. Whatever is in it, readers take no more of it than this. */
#ifndef SONDE_SESSION_NOTES_H
#define SONDE_SESSION_NOTES_H

#define NOTES_NAME "notes.txt"
enum { NOTES_MOST = 32, NOTES_LINE = 600 };

#endif
