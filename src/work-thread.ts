/** What the threads of the work pools run (serve.ts): the tasks on what calendar servers sent, and those of heavy reads. */
import { offerTasks } from './lib/work-pool/offer-tasks.ts';
import { EXPAND, expandTask } from './reading/expand-task.ts';

offerTasks({ [EXPAND]: expandTask });
