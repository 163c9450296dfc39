import { endedAccessStoreContract } from '../contract/ended-access-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(endedAccessStoreContract);
