import { accountStoreContract } from '../contract/account-store.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(accountStoreContract);
