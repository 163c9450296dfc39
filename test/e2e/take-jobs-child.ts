/** A process of its own that opens the storage of its environment, takes the jobs that are due, and prints their keys as JSON. */
import { randomUUID } from 'node:crypto';

import { loadConfig } from '../../src/config/config.ts';
import { openStorage } from '../../src/start/open-storage.ts';
import { takeAll } from '../contract/job-terms.ts';

const storage = await openStorage(loadConfig(process.env));
const now = storage.now();
const { jobs } = await takeAll(storage.jobs, { holder: randomUUID(), now, leaseUntil: now + 120_000 });
await storage.close();
process.stdout.write(JSON.stringify(jobs.map(({ key }) => key)));
