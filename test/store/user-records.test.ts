import { userRecordsContract } from '../contract/user-records.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(userRecordsContract);
