import { endedAccessStoreContract } from './contract/ended-access-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(endedAccessStoreContract);
