import { systemStoreContract } from '../contract/system-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(systemStoreContract);
