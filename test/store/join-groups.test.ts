import { joinGroupsContract } from '../contract/join-groups.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(joinGroupsContract);
