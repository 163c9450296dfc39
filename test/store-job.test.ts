import { jobStoreContract } from './contract/job-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(jobStoreContract);
