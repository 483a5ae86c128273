// SPDX-License-Identifier: GPL-2.0
/*
 * Names of functions: demangling for several languages, and names that are made to become
 * exponentially long.
 */
#include <stdlib.h>
#include <time.h>

#include "symbol/demangle.h"
#include "symbol/symbol.h"
#include "unit.h"

/*
 * A demangled name must take less CPU time than this, in seconds; without a limit it takes hours.
 */
#define TOO_LONG 20

static void check_name(const char *mangled, const char *expected, const char *what)
{
	char *name = demangle(mangled);

	check_string(name ? name : "(none)", expected, what);
	free(name);
}

/*
 * Make the name of a template f whose arguments are p<T, T>, p<p<T, T>, p<T, T>>, ...: each
 * argument is twice as long as the one before it. References to earlier parts are S_, S0_, S1_, ...
 */
static void make_bomb(char *name, int levels)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	int level, number;

	name += sprintf(name, "_Z1fI1a1pIS0_S0_E");
	for (level = 0, number = 2; level < levels; level++, number++) {
		char high = digits[number / 36], low = digits[number % 36];

		name += number < 36 ? sprintf(name, "S1_IS%c_S%c_E", low, low) :
				      sprintf(name, "S1_IS%c%c_S%c%c_E", high, low, high, low);
	}
	sprintf(name, "Evv");
}

static void test_bomb(void)
{
	clock_t start = clock();
	char bomb[1024], *name;

	make_bomb(bomb, 2);
	check_name(bomb, "f<a, p<a, a>, p<p<a, a>, p<a, a> >, p<p<p<a, a>, p<a, a> >, p<p<a, a>, p<a, a> > > >",
		   "a name that refers to its parts is demangled");
	make_bomb(bomb, 60);
	name = demangle(bomb);
	check(!name, "a name that becomes too long stays mangled");
	check((clock() - start) / CLOCKS_PER_SEC < TOO_LONG, "it does not take long");
	free(name);
}

/*
 * In a mangled name of the language D, Q and a distance refer back to an earlier part of the name.
 * The distance k is 10, m is 12.
 */
static void make_d_bomb(char *name, int levels)
{
	name += sprintf(name, "_D1a1bFPFPiPiZv");
	while (levels--)
		name += sprintf(name, "PFQkQmZv");
	sprintf(name, "Zv");
}

static void test_d_bomb(void)
{
	char bomb[1024], *name;

	make_d_bomb(bomb, 1);
	check_name(bomb, "a.b(void(int*, int*) function, void(void(int*, int*) function, void(int*, int*) function) function)",
		   "a name of D that refers to its parts is demangled");
	make_d_bomb(bomb, 20);
	name = demangle(bomb);
	check(!name, "a name of D with many references stays mangled");
	free(name);
}

static void test_symbol(void)
{
	struct symbol_table table = { 0 };
	char bomb[1024];

	make_bomb(bomb, 60);
	symbol_table_add(&table, 0, 1, bomb, SYMBOL_GLOBAL);
	symbol_table_finish(&table);
	check_string(symbol_name(symbol_table_find(&table, 0)), bomb,
		     "a name that becomes too long is shown as it is");
	symbol_table_free(&table);
}

int main(void)
{
	check_name("main", "(none)", "a name of C stays as it is");
	check_name("_ZN3foo3barIiEEvv", "foo::bar<int>", "C++");
	check_name("_ZN4core3ptr4read17h0123456789abcdefE", "core::ptr::read", "Rust, legacy");
	check_name("_RNvCs1234_7mycrate3foo", "mycrate::foo", "Rust, v0");
	check_name("_D3std5stdio7writelnFZv", "std.stdio.writeln()", "D");
	check_name("camlStdlib__List__map_123", "Stdlib.List.map_123", "OCaml");
	check_name("camlMain__$2b$2b_7", "Main.++_7", "OCaml, an operator");
	check_name("caml_alloc", "(none)", "a function of OCaml's C library stays as it is");
	check_name("$s4main3fooyyF", "(none)", "Swift stays as it is");
	check(is_swift_name("$s4main3fooyyF") && is_swift_name("_$S4main3fooyyF"),
	      "names of Swift are known");
	check(!is_swift_name("$super") && !is_swift_name("main") && !is_swift_name("$s"),
	      "other names are not of Swift");
	test_bomb();
	test_d_bomb();
	test_symbol();
	return unit_finish();
}
