import { accountRemovalContract } from '../contract/account-removal.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(accountRemovalContract);
