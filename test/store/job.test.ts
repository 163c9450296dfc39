import { jobStoreContract } from '../contract/job-store.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(jobStoreContract);
