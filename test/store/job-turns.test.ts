import { jobTurnsContract } from '../contract/job-turns.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(jobTurnsContract);
