import { testUserStoreContract } from '../contract/test-user-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(testUserStoreContract);
