import { userDeletionContract } from '../contract/user-deletion.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(userDeletionContract);
