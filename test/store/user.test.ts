import { userStoreContract } from '../contract/user-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(userStoreContract);
