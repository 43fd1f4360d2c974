// benzer COMMAND ...
#include "program.h"

int main(int argc, char** argv) { return benzer::cli::run_program({argv + 1, argv + argc}); }
