import { clientKeyStoreContract } from '../contract/client-key-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(clientKeyStoreContract);
