import { userStoreContract } from './contract/user-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(userStoreContract);
