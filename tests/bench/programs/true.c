/* Does nothing: what a run costs beyond the program itself. */
int main(void) { return 0; }
