import { accountSyncingContract } from '../contract/account-syncing.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(accountSyncingContract);
