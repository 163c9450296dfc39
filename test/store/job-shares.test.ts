import { jobSharesContract } from '../contract/job-shares.contract.ts';
import { onEachLevel } from '../contract/job-terms.ts';

onEachLevel(jobSharesContract);
