import { accountGroupsContract } from '../contract/account-groups.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(accountGroupsContract);
