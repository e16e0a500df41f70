/* libFuzzer as a function, see https://llvm.org/docs/LibFuzzer.html; `-sanitize=fuzzer` links it. */
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*run_one)(const uint8_t *bytes, size_t count));
