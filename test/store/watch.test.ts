import { watchStoreContract } from '../contract/watch-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(watchStoreContract);
