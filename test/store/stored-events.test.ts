import { storedEventsContract } from '../contract/stored-events.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(storedEventsContract);
