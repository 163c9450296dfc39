import { accountQuotaContract } from '../contract/account-quota.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(accountQuotaContract);
