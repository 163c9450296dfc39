import { accountsByHealthContract } from '../contract/accounts-by-health.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(accountsByHealthContract);
