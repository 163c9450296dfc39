import { attemptStoreContract } from '../contract/attempt-store.contract.ts';
import { onEachIsolation } from '../harness/databases.ts';

onEachIsolation(attemptStoreContract);
