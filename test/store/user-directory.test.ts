import { userDirectoryContract } from '../contract/user-directory.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(userDirectoryContract);
