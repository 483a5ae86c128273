// SPDX-License-Identifier: GPL-2.0
/*
 * Expands compressed parts of files: .gnu_debugdata, and kernel modules. Only this file uses
 * liblzma.
 */
#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "util/util.h"
#include "unpack.h"

/* Budget of memory for a decoder's state, in bytes: xz -9 needs 65 MiB, zstd --ultra 128 MiB. */
#define DECODER_MAX	(128ULL << 20)
#define DECODER_MAX_LOG	27
/* Size of the pieces that are read and written, in bytes. */
#define PIECE		(64 << 10)

static const uint8_t xz_magic[] = { 0xfd, '7', 'z', 'X', 'Z', 0 };
static const uint8_t zstd_magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

/**
 * struct packed - a part that is being expanded
 * @fd: descriptor of the file
 * @at: offset of the next bytes
 * @left: number of bytes from @at to the end of the part
 * @out: descriptor of the result
 * @written: number of bytes in @out
 * @in_bytes: the piece that was read last
 * @out_bytes: the piece that is written next
 */
struct packed {
	int fd;
	uint64_t at;
	uint64_t left;
	int out;
	uint64_t written;
	uint8_t in_bytes[PIECE];
	uint8_t out_bytes[PIECE];
};

/* Read the next piece. Return: its size, 0 at the end of the part, or -errno. */
static ssize_t read_piece(struct packed *p)
{
	size_t size = p->left < PIECE ? p->left : PIECE;
	ssize_t n = foreign_read(p->fd, p->in_bytes, size, p->at);

	if (n > 0) {
		p->at += n;
		p->left -= n;
	}
	return n;
}

static int write_piece(struct packed *p, size_t size)
{
	if (size > UNPACKED_MAX - p->written)
		return -EFBIG;
	if (write(p->out, p->out_bytes, size) != (ssize_t)size)
		return -ENOSPC;
	p->written += size;
	return 0;
}

static int unpack_xz(struct packed *p)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status = LZMA_OK;
	ssize_t n = 0;
	int ret = 0;

	if (lzma_stream_decoder(&stream, DECODER_MAX, 0) != LZMA_OK)
		return -ENOMEM;
	while (!ret && status == LZMA_OK) {
		if (!stream.avail_in) {
			n = read_piece(p);
			if (n <= 0) {
				ret = n ? n : -EBADMSG;
				break;
			}
			stream.next_in = p->in_bytes;
			stream.avail_in = n;
		}
		stream.next_out = p->out_bytes;
		stream.avail_out = PIECE;
		status = lzma_code(&stream, LZMA_RUN);
		ret = write_piece(p, PIECE - stream.avail_out);
	}
	lzma_end(&stream);
	if (!ret && status != LZMA_STREAM_END)
		ret = status == LZMA_MEMLIMIT_ERROR ? -EFBIG : -EBADMSG;
	return ret;
}

static int unpack_zstd(struct packed *p)
{
	ZSTD_DStream *stream = ZSTD_createDStream();
	ZSTD_inBuffer in = { p->in_bytes, 0, 0 };
	ZSTD_outBuffer out;
	size_t status = 1;
	ssize_t n;
	int ret = 0;

	ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, DECODER_MAX_LOG);
	while (!ret && status) {
		if (in.pos == in.size) {
			n = read_piece(p);
			if (n <= 0) {
				ret = n ? n : -EBADMSG;
				break;
			}
			in.size = n;
			in.pos = 0;
		}
		out = (ZSTD_outBuffer){ p->out_bytes, PIECE, 0 };
		status = ZSTD_decompressStream(stream, &out, &in);
		ret = ZSTD_isError(status) ? -EBADMSG : write_piece(p, out.pos);
	}
	ZSTD_freeDStream(stream);
	return ret;
}

/* Return the function that expands a part with these first bytes, or NULL. */
static int (*unpacker_of(const uint8_t start[sizeof(xz_magic)]))(struct packed *p)
{
	if (!memcmp(start, xz_magic, sizeof(xz_magic)))
		return unpack_xz;
	return memcmp(start, zstd_magic, sizeof(zstd_magic)) ? NULL : unpack_zstd;
}

bool is_packed(int fd)
{
	uint8_t start[sizeof(xz_magic)];

	return foreign_read(fd, start, sizeof(start), 0) == sizeof(start) && unpacker_of(start);
}

int unpack(int fd, uint64_t offset, uint64_t size)
{
	uint8_t start[sizeof(xz_magic)];
	int (*unpacker)(struct packed *p);
	struct packed *p;
	int ret;

	if (foreign_read(fd, start, sizeof(start), offset) != sizeof(start))
		return -EBADMSG;
	unpacker = unpacker_of(start);
	if (!unpacker)
		return -EBADMSG;
	p = xcalloc(1, sizeof(*p));
	*p = (struct packed){ .fd = fd, .at = offset, .left = size };
	p->out = memfd_create("unpacked", MFD_CLOEXEC);
	ret = p->out < 0 ? -errno : unpacker(p);
	if (ret && p->out >= 0)
		close(p->out);
	else if (!ret)
		ret = p->out;
	free(p);
	return ret;
}
