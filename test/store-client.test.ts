import { clientStoreContract } from './contract/client-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(clientStoreContract);
