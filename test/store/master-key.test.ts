import { masterKeyStoreContract } from '../contract/master-key-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(masterKeyStoreContract);
