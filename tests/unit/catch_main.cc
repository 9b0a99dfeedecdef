// The main function of every unit test program, where Catch2 comes without.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
