/** Runs in the threads of the work pools (start/work-pools.ts): content from calendar servers, and heavy reads. */
import { offerTasks } from './lib/work-pool/offer-tasks.ts';
import { DAV_TASKS } from './providers/caldav/dav-tasks.ts';
import { EXPAND, expandTask } from './reading/expand-elsewhere.ts';
import { RENDER_TASK, renderTask } from './sync/render-task.ts';

offerTasks({ ...DAV_TASKS, [RENDER_TASK]: renderTask, [EXPAND]: expandTask });
