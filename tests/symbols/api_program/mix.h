/* In a file of its own: code that is inlined can come from several files. */
static inline unsigned mix(unsigned value)
{
    return (value ^ value >> 15) * 0x2c1b3c6du;
}
