/** The guards of jobs and of their turns. */
import type { Guard } from './known-guards.ts';

export const JOB_GUARDS: readonly Guard[] = [
  {
    store: 'job',
    without: ' AND lease_holder = :holder=>',
    fails: 'the end of a run whose lease another took over is ignored',
  },
  {
    store: 'job',
    without: ' AND again_at IS NULL=>',
    fails: 'a job that was scheduled while it ran runs again, from the first attempt',
  },
  {
    store: 'job',
    without: 'host = :host AND run_at <= :now=>host = :host AND CAST(:now AS BIGINT) > 0',
    fails: 'a hint for a job that is being worked brings no other job forward',
  },
  {
    store: 'job-turns',
    without: "SET turn_at = turn_at WHERE owner = ''=>SET turn_at = turn_at WHERE owner = 'nobody'",
    fails: 'no more than two jobs at a server run at once, over all instances',
    on: 'PostgreSQL',
  },
  {
    store: 'job-turns',
    without: ' AND job.unfinished < 3=>',
    fails: 'one whose process died three times is set aside for a day, and then tried once a day',
  },
];
