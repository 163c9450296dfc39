import { knownEventsContract } from './contract/known-events.contract.ts';
import { onEachDatabase } from './databases.ts';

onEachDatabase(knownEventsContract);
