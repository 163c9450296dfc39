import { onEachLevel } from '../contract/job-terms.ts';
import { jobTurnsContract } from '../contract/job-turns.contract.ts';

onEachLevel(jobTurnsContract);
