/* Threads that wait in several ways, one of them deep in a callback of libc; then one dies. */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static volatile int *volatile nothing;

static __attribute__((noinline)) int nested(int depth)
{
	volatile int here = depth;

	if (depth == 0) {
		pause();
		return 0;
	}
	return nested(depth - 1) + here;
}

static int compare(const void *a, const void *b)
{
	(void)a, (void)b;
	return nested(3);
}

static void *sorts(void *unused)
{
	int numbers[] = { 3, 1, 2 };

	qsort(numbers, 3, sizeof(numbers[0]), compare);
	return unused;
}

static void *waits(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_wait(&never, &mutex);
	return unused;
}

static void *dies(void *unused)
{
	sleep(1);
	(void)*nothing;
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sorts, NULL);
	pthread_create(&thread, NULL, waits, NULL);
	pthread_create(&thread, NULL, dies, NULL);
	pthread_join(thread, NULL);
	return 0;
}
