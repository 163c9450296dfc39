import { jobStoreContract } from '../contract/job-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(jobStoreContract);
