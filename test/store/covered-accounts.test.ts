import { coveredAccountsContract } from '../contract/covered-accounts.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(coveredAccountsContract);
