import { accountStoreContract } from './contract/account-store.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(accountStoreContract);
