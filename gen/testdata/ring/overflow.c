/* Threads call back outside of all calls with a ring, while one takes the records out of the overflow, half of them at a time. Each
 * record must arrive once, with its payload. */
#include "ring.c"

#define THREADS 4
#define EACH 21000 /* of which every third has a payload */

static void callback(const struct godoca_runtime *runtime, uint32_t kind, uint64_t value, const char *text)
{
	struct godoca_ring own, *ring = *runtime->current();
	struct godoca_record *r;

	if (ring == NULL) {
		runtime->outside(&own);
		callback(runtime, kind, value, text);
		runtime->inside(&own);
		return;
	}
	if (ring->count == ring->capacity && !runtime->grow(ring))
		return;
	r = &ring->records[ring->count++];
	memset(r, 0, sizeof(*r));
	r->kind = kind;
	r->args[0] = value;
	if (text != NULL) {
		runtime->payload(ring, r, text, strlen(text));
		runtime->more(ring, r, &value, sizeof(value));
	}
}

static void *run(void *arg)
{
	for (uint64_t i = 0; i < EACH; i++)
		callback(godoca_runtime(), i % 3 == 0 ? GODOCA_PAYLOAD_KIND | 7 : 5, (uintptr_t)arg, i % 3 == 0 ? "some text" : NULL);
	return NULL;
}

int main(void)
{
	struct godoca_ring *into = godoca_ring_new(1);
	struct godoca_overflow_counts counts;
	uint64_t got = 0, texts = 0, wrong = 0;
	pthread_t threads[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (uint32_t turn = 0; got < THREADS * EACH; turn++) {
		struct godoca_ring *all = godoca_overflow_take();
		uint8_t *wanted;

		if (all == NULL)
			continue;
		wanted = malloc(all->count);
		for (uint32_t i = 0; i < all->count; i++)
			wanted[i] = (i + turn) % 2 == 0;
		godoca_overflow_move(into, all, wanted);
		free(wanted);
		for (uint32_t i = 0; i < into->count; i++, got++) {
			const struct godoca_record *r = &into->records[i];
			const uint8_t *p = into->payload + (r->args[2] >> 32);

			if (!(r->kind & GODOCA_PAYLOAD_KIND))
				continue;
			texts++;
			wrong += (uint32_t)r->args[2] != 24 || memcmp(p, "some text", 9) != 0 || memcmp(p + 16, &r->args[0], 8) != 0;
		}
		into->count = into->payload_len = 0;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	godoca_overflow_counts(&counts);
	printf("got %lu, %lu with a payload, %lu wrong, seen %lu, waiting %lu, lost %lu\n", (unsigned long)got, (unsigned long)texts,
	       (unsigned long)wrong, (unsigned long)counts.seen, (unsigned long)counts.waiting, (unsigned long)counts.lost);
	godoca_ring_free(into);
	return 0;
}
