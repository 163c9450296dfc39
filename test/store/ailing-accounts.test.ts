import { ailingAccountsContract } from '../contract/ailing-accounts.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(ailingAccountsContract);
