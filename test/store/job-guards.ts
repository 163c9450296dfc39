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
    without: '.run_at <= :now AND=>.run_at <> CAST(:now AS BIGINT) + 0.5 AND',
    fails: 'a hint for a job that is being worked brings no other job forward',
  },
  {
    store: 'job-turns',
    without: 'UPDATE job_slice SET slice = slice WHERE=>SELECT slice FROM job_slice WHERE',
    fails: 'a call whose snapshot is older than the last claim in its slice claims nothing by old counts',
    on: 'PostgreSQL',
  },
  {
    store: 'job-turns',
    without: ' AND job.unfinished < 3=>',
    fails: 'one whose process died three times is set aside for a day, and then tried once a day',
  },
];
