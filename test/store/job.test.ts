import { jobStoreContract } from '../contract/job-store.contract.ts';
import { onEachLevel } from '../contract/job-terms.ts';

onEachLevel(jobStoreContract);
