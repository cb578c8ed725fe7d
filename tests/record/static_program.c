/* A program that is linked statically: no library can be loaded into it. */
int main(void)
{
    return 0;
}
