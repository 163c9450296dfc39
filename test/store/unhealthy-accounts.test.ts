import { ailingAccountsContract } from '../contract/unhealthy-accounts.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(ailingAccountsContract);
