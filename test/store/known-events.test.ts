import { knownEventsContract } from '../contract/known-events.contract.ts';
import { onEachDatabase } from '../harness/databases.ts';

onEachDatabase(knownEventsContract);
