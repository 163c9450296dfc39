import { adminKeyStoreContract } from '../contract/admin-key-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(adminKeyStoreContract);
