import { jobSharesContract } from '../contract/job-shares.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(jobSharesContract);
