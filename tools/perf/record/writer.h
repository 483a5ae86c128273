/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing perf.data.
 */
#ifndef PERF_RECORD_WRITER_H
#define PERF_RECORD_WRITER_H

#include "file/file.h"

struct data_writer;

struct data_writer *data_writer_open(const char *path, const struct data_event *events, size_t nr,
				     int argc, char **argv, struct error *err);
struct data_writer *data_writer_clone(const struct data_writer *w, struct error *err);
const char *data_writer_part(const struct data_writer *w);
int data_writer_copy(struct data_writer *w, const struct data_writer *from, uint64_t *position);
int data_writer_copy_state(struct data_writer *w, const struct data_writer *from);
void data_writer_compress(struct data_writer *w, int level);
int data_writer_write(struct data_writer *w, const void *records, size_t bytes);
int data_writer_add_build_id(struct data_writer *w, bool kernel, const char *path,
			     const uint8_t *id, size_t size);
void data_writer_store(struct data_writer *w, struct stored_files *files);
uint64_t data_writer_size(const struct data_writer *w);
int data_writer_close(struct data_writer *w, uint64_t *bytes, struct error *err);
char *data_writer_close_snapshot(struct data_writer *w, struct error *err);
void data_writer_keep(struct data_writer *w, struct error *err);
void data_writer_discard(struct data_writer *w);

#endif
