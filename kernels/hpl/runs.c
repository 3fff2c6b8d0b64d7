/* SPDX-License-Identifier: Apache-2.0 */
/* From options or HPL.dat to a list of problems: see runs.h. */
#include "kernels/hpl/runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/units.h"
#include "kernels/hpl/hpldat.h"

enum { FILE_MAX = 1 << 20 };

static void add(struct runs *r, const struct lu_want *want)
{
	mem_grow(&r->items, &r->cap, r->n + 1, sizeof(*r->items));
	r->items[r->n++] = *want;
}

/* Only one rank tells what all know. */
static int usage(const struct kit *k, struct err *e, const char *text)
{
	return err_set(e, ERR_USAGE, "%s", k->rank ? "" : text);
}

/* Collective. The update kernel that every rank's CPU has. */
static int choose_update(struct kit *k, const struct update **found, struct err *e)
{
	const char *simd = kit_option(k, "simd");
	int first = kit_is(k, "update", "blas") ? 2 : 0, all;

	if (first && strcmp(simd, "auto") != 0)
		return usage(k, e,
			     "--simd is for --update own: the BLAS chooses its own");
	while (update_table[first + 1] && (!update_table[first]->usable() ||
					   (first < 2 && strcmp(simd, "auto") != 0 &&
					    !strstr(update_table[first]->name, simd))))
		first++;
	/* packed rows of L are sent: all must pack alike */
	(void)MPI_Allreduce(&first, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	*found = update_table[all];
	if (all == 2 && (kit_is(k, "update", "own") || strcmp(simd, "auto") != 0))
		return kit_skip(k, e, "this CPU has no %s",
				strcmp(simd, "auto") != 0 ? simd : "AVX2");
	return 0;
}

/* Collective. Bytes that the rank with least may use. */
static int usable_memory(struct kit *k, uint64_t *least, struct err *e)
{
	uint64_t mine = 0;
	const int rc = kit_usable_memory(k, &mine, e);

	if (rc)
		mine = 0;
	(void)MPI_Allreduce(&mine, least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
	return rc;
}

/* One side of the grid is given: the other follows, where the ranks can be so divided. */
static int other_side(const struct kit *k, const char *name, int given, int *other,
		      struct err *e)
{
	char text[160];

	*other = k->ranks / given;
	if (k->ranks % given == 0)
		return 0;
	(void)snprintf(
		text, sizeof(text),
		"--%s %d: %d rank%s cannot be divided by it, expected a divisor of "
		"them, or a multiple of %d ranks",
		name, given, k->ranks, k->ranks == 1 ? "" : "s", given);
	return usage(k, e, text);
}

/* P and Q: both given, one, or none. */
static int grid(struct kit *k, struct size *s, struct err *e)
{
	const int p = (int)kit_int(k, "p"), q = (int)kit_int(k, "q");
	char text[160];

	size_grid(k->ranks, &s->p, &s->q);
	if (p)
		s->p = p;
	if (q)
		s->q = q;
	if (p && !q)
		return other_side(k, "p", p, &s->q, e);
	if (q && !p)
		return other_side(k, "q", q, &s->p, e);
	if (!p && size_flat(s->p, s->q) && !k->rank) {
		kit_event(k, "warn",
			  "%d ranks make a flat grid, %d x %d: expect a lower rate than "
			  "with a few more or less",
			  k->ranks, s->p, s->q);
	}
	if ((int64_t)s->p * s->q == k->ranks)
		return 0;
	(void)snprintf(text, sizeof(text), "a grid of %d x %d needs %lld ranks, not %d",
		       s->p, s->q, (long long)s->p * s->q, k->ranks);
	return usage(k, e, text);
}

/* The largest order that fits where @w does not. */
static int too_large(struct kit *k, const struct lu_want *w, uint64_t usable,
		     struct err *e)
{
	char need[UNITS_TEXT], have[UNITS_TEXT];

	if (k->rank)
		return err_set(e, ERR_SYSTEM, "%s", "");
	return kit_skip(
		k, e,
		"n %lld needs %s a rank, %s usable on the smallest: the largest n "
		"that fits is %lld",
		(long long)w->size.n,
		units_format(need, sizeof(need), (double)size_bytes(&w->size), "B"),
		units_format(have, sizeof(have), (double)usable, "B"),
		(long long)size_order(&w->size, usable, 1));
}

static int from_options(struct kit *k, struct runs *r, struct lu_want *w, uint64_t usable,
			struct err *e)
{
	char size[UNITS_TEXT];
	double share = 0.8;

	if (grid(k, &w->size, e))
		return -1;
	w->size.n = kit_int(k, "n");
	w->size.nb = (int)kit_int(k, "nb");
	if (units_parse(kit_option(k, "memory"), "ratio", &share, e) ||
	    !(share >= SIZE_LEAST_SHARE && share <= 1))
		return usage(k, e,
			     "option '--memory': expected a share, 0.8 or 80 %, of at "
			     "least 0.1 %");
	if (!w->size.n) {
		/* a block size for such an order, then a multiple of it */
		if (!w->size.nb)
			w->size.nb = size_block(
				(int64_t)sqrt(share * (double)usable / 8 * k->ranks),
				w->size.p, w->size.q);
		w->size.n = size_order(&w->size, usable, share);
		if (!w->size.n)
			return kit_skip(
				k, e,
				"--memory %s is %s a rank, too little for one block of "
				"%d x %d",
				kit_option(k, "memory"),
				units_format(size, sizeof(size), share * (double)usable,
					     "B"),
				w->size.nb, w->size.nb);
	}
	if (!w->size.nb)
		w->size.nb = size_block(w->size.n, w->size.p, w->size.q);
	w->by_column = kit_is(k, "pmap", "column");
	w->lookahead = kit_flag(k, "look-ahead");
	add(r, w);
	return 0;
}

/* Collective. The text of the file, as rank 0 reads it. */
static int read_file(const char *path, int rank, struct strbuf *text, struct err *e)
{
	int rc = 0;
	long long len;
	char *copy;

	if (!rank) {
		rc = file_read(text, path, FILE_MAX, e);
		if (rc)
			e->kind = ERR_USAGE;
	}
	len = rc ? -1 : (long long)text->len;
	(void)MPI_Bcast(&len, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
	if (len < 0)
		return rank ? err_set(e, ERR_USAGE, "%s", "") : -1;
	copy = mem_calloc((size_t)len + 1, 1);
	if (!rank)
		memcpy(copy, strbuf_str(text), (size_t)len);
	(void)MPI_Bcast(copy, (int)len, MPI_CHAR, 0, MPI_COMM_WORLD);
	strbuf_reset(text);
	strbuf_add(text, copy, (size_t)len);
	free(copy);
	return 0;
}

/* 0 for what of @l is below @from, 1 for the rest; each once, in their order. */
static struct hpldat_list either(const struct hpldat_list *l, int64_t from)
{
	struct hpldat_list kinds = {0};

	for (int i = 0; i < l->n && kinds.n < 2; i++) {
		const int64_t kind = l->v[i] >= from;

		if (!kinds.n || kinds.v[0] != kind)
			kinds.v[kinds.n++] = kind;
	}
	return kinds;
}

/* Every way in which a problem of this size is to be solved. */
static void add_ways(struct runs *r, struct lu_want *w, const struct hpldat_list *longs,
		     const struct hpldat_list *ahead)
{
	for (int d = 0; d < ahead->n; d++) {
		for (int b = 0; b < longs->n; b++) {
			w->bcast = longs->v[b] ? BCAST_LONG : BCAST_RING;
			w->lookahead = ahead->v[d];
			add(r, w);
		}
	}
}

static int check_grids(const struct kit *k, const struct hpldat *d, struct err *e)
{
	char text[160];

	for (int g = 0; g < d->p.n; g++) {
		if (d->p.v[g] * d->q.v[g] == k->ranks)
			continue;
		(void)snprintf(text, sizeof(text),
			       "HPL.dat: grid %d, %lld x %lld, needs %lld ranks, not %d",
			       g + 1, (long long)d->p.v[g], (long long)d->q.v[g],
			       (long long)d->p.v[g] * d->q.v[g], k->ranks);
		return usage(k, e, text);
	}
	return 0;
}

/* What of the file is the same here is run once. */
static void combine(const struct hpldat *d, struct runs *r, struct lu_want *w)
{
	const struct hpldat_list longs = either(&d->broadcast, 4);
	const struct hpldat_list ahead = either(&d->depth, 1);

	r->threshold = d->threshold;
	w->by_column = d->by_column;
	for (int g = 0; g < d->p.n; g++) {
		for (int n = 0; n < d->n.n; n++) {
			for (int b = 0; b < d->nb.n; b++) {
				w->size.p = (int)d->p.v[g];
				w->size.q = (int)d->q.v[g];
				w->size.n = d->n.v[n];
				w->size.nb = (int)d->nb.v[b];
				add_ways(r, w, &longs, &ahead);
			}
		}
	}
	r->combinations = d->p.n * d->n.n * d->nb.n * d->broadcast.n * d->depth.n;
	for (int i = 0; i < d->depth.n; i++)
		r->deeper |= d->depth.v[i] > 1;
}

static int from_file(struct kit *k, struct runs *r, struct lu_want *w, struct err *e)
{
	const char *path = kit_option(k, "hpl-dat");
	struct strbuf text = {0};
	struct hpldat d;
	int rc = read_file(path, k->rank, &text, e);

	if (!rc)
		rc = hpldat_parse(strbuf_str(&text), path, &d, e);
	if (rc && k->rank)
		e->msg[0] = '\0'; /* rank 0 says it */
	if (!rc)
		rc = check_grids(k, &d, e);
	if (!rc)
		combine(&d, r, w);
	strbuf_release(&text);
	r->from_file = true;
	return rc;
}

int runs_make(struct kit *k, struct runs *r, struct err *e)
{
	struct lu_want w = {.seed = (uint64_t)kit_int(k, "seed"), .lookahead = true};
	uint64_t usable = 0;
	int rc = choose_update(k, &w.update, e), rc2;

	rc2 = usable_memory(k, &usable, e);
	r->usable = usable;
	w.size.threads = k->threads;
	w.bcast = kit_is(k, "broadcast", "ring")   ? BCAST_RING
		  : kit_is(k, "broadcast", "long") ? BCAST_LONG
						   : BCAST_AUTO;
	r->threshold = 16;
	/* from here on collective: nobody goes on alone */
	if (kit_agree(k, rc || rc2 ? -1 : 0, e))
		return -1;
	rc = kit_is(k, "hpl-dat", "none") ? from_options(k, r, &w, usable, e)
					  : from_file(k, r, &w, e);
	for (size_t i = 0; i < r->n && !rc; i++) {
		if (size_bytes(&r->items[i].size) > usable)
			rc = too_large(k, &r->items[i], usable, e);
	}
	return rc;
}

static void print_list(const char *name, const struct hpldat_list *l, FILE *out)
{
	(void)fprintf(out, ", %s", name);
	for (int i = 0; i < l->n; i++)
		(void)fprintf(out, "%s %lld", i ? "," : "", (long long)l->v[i]);
}

static int outline_file(struct kit *k, FILE *out, struct err *e)
{
	const char *path = kit_option(k, "hpl-dat");
	struct strbuf text = {0};
	struct lu_want w = {0};
	struct runs r = {0};
	struct hpldat d;
	int rc = file_read(&text, path, FILE_MAX, e);

	if (rc)
		e->kind = ERR_USAGE;
	if (!rc)
		rc = hpldat_parse(strbuf_str(&text), path, &d, e) ||
		     check_grids(k, &d, e);
	if (!rc) {
		combine(&d, &r, &w);
		(void)fprintf(out, "HPL.dat: %zu problem%s", r.n, r.n == 1 ? "" : "s");
		print_list("N", &d.n, out);
		print_list("NB", &d.nb, out);
		(void)fprintf(out, ", P x Q");
		for (int i = 0; i < d.p.n; i++)
			(void)fprintf(out, "%s %lld x %lld", i ? "," : "",
				      (long long)d.p.v[i], (long long)d.q.v[i]);
		(void)fprintf(out, "\n");
	}
	strbuf_release(&text);
	runs_release(&r);
	return rc ? -1 : 0;
}

int runs_outline(struct kit *k, FILE *out, struct err *e)
{
	struct size s = {.n = kit_int(k, "n"), .nb = (int)kit_int(k, "nb")};
	char bytes[UNITS_TEXT];

	if (!kit_is(k, "hpl-dat", "none"))
		return outline_file(k, out, e);
	s.threads = k->threads;
	if (grid(k, &s, e))
		return -1;
	if (!s.n) {
		(void)fprintf(out, "N from %s of the memory, P x Q %d x %d\n",
			      kit_option(k, "memory"), s.p, s.q);
		return 0;
	}
	if (!s.nb)
		s.nb = size_block(s.n, s.p, s.q);
	(void)fprintf(out, "N %lld, NB %d, P x Q %d x %d, %s a rank\n", (long long)s.n,
		      s.nb, s.p, s.q,
		      units_format(bytes, sizeof(bytes), (double)size_bytes(&s), "B"));
	return 0;
}

void runs_release(struct runs *r)
{
	free(r->items);
	*r = (struct runs){0};
}
