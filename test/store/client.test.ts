import { clientStoreContract } from '../contract/client-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(clientStoreContract);
