import { senderConstraintsContract } from '../contract/sender-constraints.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(senderConstraintsContract);
