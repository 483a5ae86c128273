# SPDX-License-Identifier: GPL-2.0
#
# The only entry: every target sets up what is missing, and the work is done by
# the scripts. 'make help' lists the targets.

.DEFAULT_GOAL := help
.NOTPARALLEL:

# make test SUITES="kunit-uml selftests" runs only these.
SUITES :=
# make test AGAIN=1 runs also what has passed on this very tree.
AGAIN :=
# make test CHECKED=1 runs also those of guests whose kernels check memory, locks and races.
CHECKED :=
# make test ARCH=ppc64le runs those of POWER; make run, bench and shell have a guest of it.
ARCH := x86_64
# It is no business of the makes that the scripts run.
MAKEOVERRIDES :=
unexport ARCH
# make deb CONFIG=FILE takes this configuration, and PACKAGES=tools builds only these.
CONFIG :=
PACKAGES :=

help: ## This list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10

setup: ## Install the Debian packages that are missing
	@scripts/setup

run: setup ## Boot the guest; count and profile a real program in it
	@scripts/run-demo --arch "$(ARCH)"

test: setup ## Run the tests (SUITES="..." selects, CHECKED=1 adds, AGAIN=1 repeats)
	@scripts/test --arch "$(ARCH)" $(if $(CHECKED),--checked) $(if $(AGAIN),--again) $(SUITES)

bench: setup ## What each operation costs, beside perf_events
	@scripts/bench --arch "$(ARCH)"

coverage: setup ## Which lines of our kernel files the tests reach
	@scripts/coverage

check: setup ## The kernel's checkers on our files; the series, patch by patch
	@scripts/check

shell: setup ## An interactive guest; Ctrl-D leaves it
	@scripts/boot --arch "$(ARCH)" --shell

series: setup ## The overlay as patch series in build/series
	@scripts/series

deb: setup ## Debian packages of the kernel and the tools (CONFIG=FILE, PACKAGES=tools)
	@scripts/deb $(if $(CONFIG),--config "$(CONFIG)") $(PACKAGES)

distro: setup ## Install the packages on a Debian in QEMU; count and profile there
	@scripts/distro $(if $(CONFIG),--config "$(CONFIG)")

clean: ## Remove build/ (the cache stays)
	@rm -rf build

.PHONY: help setup run test bench coverage check shell series deb distro clean
