/* waiting.c -- requests that wait in the lanes: put there, shown, refused where a lane is full. */
#include "front/front_counters.h"
#include "front/front_internal.h"

void worker_show_waiting(struct front *front)
{
	board_gauge_set(front->board, &front_waiting_now,
			(int64_t)(lane_count(&front->small) + lane_count(&front->large)));
}

void worker_refuse(const struct front *front, const struct lane *lane, struct reply *reply)
{
	reply_busy(reply, RETRY_BUSY_SECONDS, lane == &front->large ?
		   "too many large requests are waiting (pool.large_waiting)" :
		   "too many requests are waiting (pool.waiting)");
}

void worker_hand_over(struct worker *worker, struct request *request, struct reply *reply)
{
	struct front *front = worker->front;

	if (lane_put(&front->large, request)) {
		reply->parked = true;
		worker_show_waiting(front);
	} else {
		worker_refuse(front, &front->large, reply);
	}
}
