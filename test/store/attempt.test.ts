import { attemptStoreContract } from '../contract/attempt-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(attemptStoreContract);
