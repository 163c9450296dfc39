import { unreadableEventsContract } from '../contract/unreadable-events.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(unreadableEventsContract);
