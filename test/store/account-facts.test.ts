import { accountFactsContract } from '../contract/account-facts.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(accountFactsContract);
