// SPDX-License-Identifier: GPL-2.0
// work() contains both(), which contains Box::stir() twice, which contains mix() of a header.
#include <cstdlib>
#include <stdexcept>

#include "leaf.h"

namespace shapes {

template <typename T> struct Box {
	T value;

	inline __attribute__((always_inline)) T stir(T by)
	{
		value = mix(value + by);	// line: stir
		return value;
	}
};

static inline __attribute__((always_inline)) unsigned long both(Box<unsigned long> &box)
{
	unsigned long first = box.stir(1);	// line: both

	return first + box.stir(2);
}

}

// The code that throws is in a part of its own, work() [clone .cold].
__attribute__((noinline)) unsigned long work(shapes::Box<unsigned long> &box, unsigned long nr)
{
	unsigned long sum = 0;

	while (nr--)
		sum += shapes::both(box);	// line: work
	if (sum == 42)
		throw std::runtime_error("the sum is 42");
	return sum;
}

int main(int argc, char **argv)
{
	shapes::Box<unsigned long> box = { 1 };
	unsigned long nr = argc > 1 ? atol(argv[1]) : 1;
	unsigned long sum = work(box, nr);	// line: call

	box.stir(sum);
	return box.value == sum;
}
